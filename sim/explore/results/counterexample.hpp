// SPDX-License-Identifier: Apache-2.0
// Counterexample: what a search found, as a scenario that anybody can run again: its faults placed by event, and where
// they alone do not fix the schedule, the order and the latencies as steps.
#pragma once

#include <optional>
#include <string>

#include "harness/history/history.hpp"
#include "sim/explore/exploration.hpp"

namespace lockproof::sim {

struct Counterexample {
  harness::Scenario scenario;
  harness::History history;  // of its run
  /// Before it breaks the property in this way, the schedule breaks it in a worse one, which is what a run shows.
  bool hidden = false;
};

/// Walks the schedule again, writes it down, drops the steps that it does not need, and runs the result as `lockproof
/// run` will. `explored` is the bounded scenario; `horizon` the one to write. Nothing if that run does not break the
/// property in this way: then the search is wrong. When `stop` is requested, the steps that are left stay.
[[nodiscard]] std::optional<Counterexample> counterexample(const harness::Scenario& explored,
                                                           const harness::Bounds& budget, const std::string& property,
                                                           const std::string& kind, const Broken& broken,
                                                           Duration horizon, const std::stop_token& stop = {});

/// Moves each ask that is written down to a round instant in the middle of those at which the property still breaks in
/// this way: easier to read, and far from the edges, since real servers are never exact. When `stop` is requested,
/// those that are left stay where they are.
void round_asks(Counterexample& shown, const std::string& property, const std::string& kind,
                const std::stop_token& stop = {});

}  // namespace lockproof::sim
