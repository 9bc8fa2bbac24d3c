// SPDX-License-Identifier: Apache-2.0
// A scenario that is searched by zones.
#pragma once

#include <string>
#include <vector>

#include "harness/scenario/names.hpp"
#include "search/core/exploration.hpp"
#include "search/zones/zone_engine.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::zones {

/// Two clients of a lock with its lease, who read, hold and write; pauses of up to so long.
struct Setting {
  Duration lease = seconds(10), work = seconds(6), least_latency = milliseconds(1), most_latency = milliseconds(1);
  Duration pause = seconds(3), timeout = seconds(2);
  int faults = 1, clients = 2, rounds = 1;
  std::string algorithm = "set-px-token";
  std::vector<std::string> other_faults{};  // lines of entries of the budget, instead of the pauses

  [[nodiscard]] harness::Scenario scenario(const std::string& more = "") const {
    using harness::to_text;
    return tests::scenario(
        "[network]\nlatency = \"" + harness::range_text(least_latency, most_latency) + "\"\ntimeout = \"" +
            to_text(timeout) + "\"\n[workload]\nclients = " + std::to_string(clients) +
            "\nrounds = " + std::to_string(rounds) + "\nlease = \"" + to_text(lease) +
            "\"\nacquire_timeout = \"for ever\"\nwork = [\"read\", \"hold " + to_text(work) + "\", \"write\"]\n" +
            more + "[explore]\nfailed_attempts = 2\nmax_faults = " + std::to_string(faults) + "\n" + budget(),
        algorithm);
  }
  [[nodiscard]] std::string budget() const {
    std::vector<std::string> entries = other_faults;
    if (entries.empty()) {
      entries = {"kind = \"pause\"\ntarget = \"clients\"\nfor = \"" + harness::range_text({}, pause) + "\"\n"};
    }
    std::string all;
    for (const std::string& entry : entries)
      all += "[[explore.fault]]\n" + entry + "most = " + std::to_string(std::max(faults, 1)) + "\n";
    return all;
  }
};

/// An entry of a budget, with a name for tests.
struct Entry {
  std::string name, text;
};

inline sim::Exploration explored(const harness::Scenario& scenario) {
  const harness::Scenario bounded = sim::bounded(scenario, *scenario.explore, false);
  EXPECT_EQ(why_unsuited(bounded, *scenario.explore), "");
  return explore_zones(bounded, *scenario.explore, {});
}

/// The kinds of violation of mutual exclusion, with the fewest faults of each.
inline std::map<std::string, int> kinds_of(const sim::Exploration& found) {
  std::map<std::string, int> kinds;
  for (const auto& [way, broken] : found.broken) {
    if (way.first == "mutual-exclusion") kinds.emplace(way.second, broken.faults);
  }
  return kinds;
}

}  // namespace lockproof::zones
