// SPDX-License-Identifier: Apache-2.0
// One scenario, searched by both engines, with and without reductions.
#pragma once

#include <map>

#include "search/core/contention.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/search/same_search.hpp"

namespace lockproof::tests {

inline constexpr std::uint64_t states_most = 3000;  // of a space that the re-execution engine is asked to search

inline std::map<sim::ViolationKind, int> faults_of(const sim::Exploration& found) {
  std::map<sim::ViolationKind, int> faults;
  for (const auto& [way, broken] : found.broken) faults.emplace(way, broken.faults);
  return faults;
}

/// Expects that both engines see the same. Not if the space is too large; then false.
inline bool searched_by_both(const harness::Scenario& drawn) {
  const harness::Bounds bounds = drawn.explore.value();
  const harness::Scenario scenario = sim::as_written(sim::bounded(drawn, bounds, false));
  EXPECT_EQ(sim::stateful_engine_refuses(scenario, bounds), "");
  sim::Limits limits{.reduce = false, .estimate = false};
  limits.go_on = [](const sim::Progress& progress) { return progress.states <= states_most; };
  const sim::Exploration fast = sim::explore_stateful(scenario, bounds, limits);
  if (!fast.complete) return false;
  expect_same_search(sim::explore_by_reexecution(scenario, bounds, {.reduce = false}), fast);
  // What an isolated host that has gone on does must be what one does that runs again from its start, on another way.
  sim::Limits again = limits;
  again.live_hosts = 0;
  expect_same_search(sim::explore_stateful(scenario, bounds, again), fast);
  const sim::Exploration reduced = sim::explore_stateful(scenario, bounds, {});
  expect_same_search(sim::explore_by_reexecution(scenario, bounds, {}), reduced);
  EXPECT_EQ(faults_of(fast), faults_of(reduced));
  EXPECT_EQ(faults_of(fast), faults_of(sim::explore_stateful(scenario, bounds, {.exchange = true})));
  return true;
}

}  // namespace lockproof::tests
