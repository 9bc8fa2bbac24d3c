// SPDX-License-Identifier: Apache-2.0
// The instants at which clients ask are written down by their own clocks, which stand still while a host is suspended.
#include "search/results/counterexample.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::asks_by_clock_test {
namespace {

/// A DEL leaves late, and deletes the next holder's key: its sender gets the lock again in its second round, for which
/// it asks by a clock that has stood still.
TEST(AsksByClock, ASuspendedClientAsksInARunWhenItDidInTheSearch) {
  harness::Scenario scenario = tests::scenario(
      "[workload]\nrounds = 2\nlease = \"2s\"\nwork = [\"read\", \"hold 200ms\", \"write\"]\nstop_on = \"deadline\"\n"
      "[network]\nlatency = \"200ms\"\ntimeout = \"2600ms\"\n[run]\ngrid = \"100ms\"\n[explore]\nattempts = 1\n"
      "[[explore.fault]]\nkind = \"suspend\"\ntarget = \"clients\"\nfor = \"1900ms\"\n",
      "getset-timestamp");
  const harness::Bounds bounds = scenario.explore.value();
  const harness::Scenario explored = bounded(scenario, bounds, false);
  const Exploration found = explore_stateful(explored, bounds, {.exchange = true});
  const ViolationKind way{"mutual-exclusion", "double-grant"};
  ASSERT_TRUE(found.broken.contains(way));
  EXPECT_TRUE(counterexample(explored, bounds, way.first, way.second, found.broken.at(way), scenario.horizon));
}

}  // namespace
}  // namespace lockproof::sim::asks_by_clock_test
