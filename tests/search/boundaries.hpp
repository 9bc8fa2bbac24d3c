// SPDX-License-Identifier: Apache-2.0
// What the tests of boundaries share: search all schedules of a scenario, and tell with how few faults it breaks.
#pragma once

#include <fmt/format.h>

#include <functional>

#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::tests {

using std::string;

inline string ms(int n) { return fmt::format("\"{}ms\"", n); }
inline string us(std::int64_t n) { return fmt::format("\"{}us\"", n); }

inline std::map<std::pair<string, string>, int> faults_of_each(const sim::Exploration& found) {
  std::map<std::pair<string, string>, int> faults;
  for (const auto& [way, broken] : found.broken) faults.emplace(way, broken.faults);
  return faults;
}

/// By the re-execution engine, and by the other one if it can. Clients ask when the test says.
inline sim::Exploration search(harness::Scenario scenario) {
  harness::Bounds bounds = scenario.explore.value_or(harness::Bounds{});
  bounds.contention = harness::Contention::as_written;
  scenario = sim::bounded(std::move(scenario), bounds, false);
  sim::Exploration found = sim::explore_by_reexecution(scenario, bounds, {.bytes = 200'000'000});
  EXPECT_TRUE(found.complete);
  EXPECT_TRUE(found.acquired);
  if (!sim::stateful_engine_refuses(scenario, bounds).empty()) return found;
  const sim::Exploration other = sim::explore_stateful(scenario, bounds, {.bytes = 200'000'000});
  EXPECT_EQ(faults_of_each(found), faults_of_each(other));
  return found;
}

constexpr int never = -1;

/// The fewest faults of the budget with which a property breaks (in one way, if it is named); `never` if it does not.
inline int fewest(const sim::Exploration& found, const string& kind = "", const string& property = "mutual-exclusion") {
  int least = never;
  for (const auto& [way, broken] : found.broken) {
    const bool meant = way.first == property && (kind.empty() || way.second == kind);
    if (meant && (least == never || broken.faults < least)) least = broken.faults;
  }
  return least;
}

inline int fewest(const string& text, const string& algorithm, const string& kind = "",
                  const string& property = "mutual-exclusion") {
  return fewest(search(scenario(text, algorithm)), kind, property);
}

/// The fewest faults with which a rival that comes at the right time breaks it.
inline int at_some_time(const std::function<int(int start)>& fewest_at, int first, int last) {
  int least = never;
  for (int start = first; start <= last; ++start) {
    const int found = fewest_at(start);
    if (found != never && (least == never || found < least)) least = found;
  }
  return least;
}

}  // namespace lockproof::tests
