// SPDX-License-Identifier: Apache-2.0
// A scenario that is searched by zones.
#pragma once

#include <map>
#include <string>

#include "harness/scenario/names.hpp"
#include "search/core/exploration.hpp"
#include "search/zones/zone_engine.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::zones {

/// Two clients of a lock with its lease, who read, hold and write; pauses of up to so long.
struct Setting {
  Duration lease = seconds(10), work = seconds(6), least_latency = milliseconds(1), most_latency = milliseconds(1);
  Duration pause = seconds(3);
  int faults = 1, clients = 2, rounds = 1;
  std::string algorithm = "set-px-token";

  [[nodiscard]] harness::Scenario scenario(const std::string& more = "") const {
    using harness::to_text;
    return tests::scenario(
        "[network]\nlatency = \"" + harness::range_text(least_latency, most_latency) +
            "\"\n[workload]\nclients = " + std::to_string(clients) + "\nrounds = " + std::to_string(rounds) +
            "\nlease = \"" + to_text(lease) + "\"\nacquire_timeout = \"for ever\"\nwork = [\"read\", \"hold " +
            to_text(work) + "\", \"write\"]\n" + more + "[explore]\nmax_faults = " + std::to_string(faults) +
            "\n[[explore.fault]]\nkind = \"pause\"\ntarget = \"clients\"\nmost = " +
            std::to_string(std::max(faults, 1)) + "\nfor = \"" + harness::range_text({}, pause) + "\"\n",
        algorithm);
  }
};

inline sim::Exploration explored(const harness::Scenario& scenario) {
  const harness::Scenario bounded = sim::bounded(scenario, *scenario.explore, false);
  EXPECT_EQ(why_unsuited(bounded, *scenario.explore), "");
  return explore_zones(bounded, *scenario.explore, {});
}

/// Kinds of violation, with the fewest faults of each.
using Kinds = std::map<sim::ViolationKind, int>;

inline Kinds kinds_of(const sim::Exploration& found) {
  Kinds kinds;
  for (const auto& [kind, violation] : found.broken) kinds.emplace(kind, violation.faults);
  return kinds;
}

/// Those of one property.
inline Kinds kinds_of(const sim::Exploration& found, const std::string& property) {
  Kinds kinds = kinds_of(found);
  std::erase_if(kinds, [&](const auto& one) { return one.first.first != property; });
  return kinds;
}

}  // namespace lockproof::zones
