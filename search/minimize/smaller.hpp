// SPDX-License-Identifier: Apache-2.0
// Smaller: which parts of a scenario can be left out or reduced, and what has become less between two scenarios.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/scenario/scenario.hpp"
#include "sim/kernel/shrink.hpp"

namespace lockproof::sim {

/// A value of a scenario that may become smaller. It is `most` steps large, the last one possibly shorter.
struct Knob {
  std::string what;  // "pause of client-1 for", "clock of redis-1 ahead by"
  std::int64_t least, most;
  std::function<void(harness::Scenario&, std::int64_t)> set;
  std::function<std::string(std::int64_t)> text;  // the value as text: "10.5s"
};

/// The durations, jumps and rates of its faults, and how far clocks are ahead. In steps of the scenario's grid; wall
/// clocks in milliseconds; rates in tenths of a percent.
[[nodiscard]] std::vector<Knob> knobs_of(const harness::Scenario& scenario);

/// Without this client; later ones are renamed. Nothing if a fault names it, or if only one client would be
/// left, since one client does not contend.
[[nodiscard]] std::optional<harness::Scenario> without_client(const harness::Scenario& scenario, std::size_t client);

/// The fault without its place.
[[nodiscard]] harness::Fault form_of(harness::Fault fault);

/// One part that became less.
struct Change {
  std::string
      part;  // fault, place, duration, client, name, rounds, attempts, retry, start, clock, latency, replication
  std::string what;
  std::string from, to;  // empty: it was dropped
  bool operator==(const Change&) const = default;
};

/// `faults`, `clients`: the index in the first scenario of each one of the second scenario.
[[nodiscard]] std::vector<Change> changes(const harness::Scenario& from, const harness::Scenario& to,
                                          const Subset& faults, const Subset& clients);

}  // namespace lockproof::sim
