// SPDX-License-Identifier: Apache-2.0
// A state for which the numbers of the stateful engine are too narrow ends its search as unknown, and nothing else.
#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::unrepresentable_test {
namespace {

/// Each attempt draws a token, and its request is on its way for longer than twelve attempts take.
const char* const slow_network =
    "[workload]\nclients = 1\nlease = \"10s\"\nattempts = 12\nretry = \"10ms\"\nwork = [\"hold 1s\"]\n"
    "[network]\ntimeout = \"100ms\"\nlatency = \"5s\"\n[run]\nhorizon = \"100s\"\n"
    "[explore]\ncontention = \"as-written\"\n";

TEST(UnrepresentableState, MoreTokensThanNamesEndTheSearchAsUnknown) {
  harness::Scenario scenario = tests::scenario(slow_network, "set-px-token");
  const harness::Bounds bounds = scenario.explore.value();
  scenario = bounded(scenario, bounds, false);
  for (const unsigned workers : {1u, 2u}) {
    const Exploration found = explore_stateful(scenario, bounds, {.workers = workers});
    EXPECT_FALSE(found.complete);
    EXPECT_EQ(found.unrepresentable,
              "more tokens of a client are in use at once than the stateful engine can tell apart");
    EXPECT_EQ(found.stopped, found.unrepresentable);
    EXPECT_EQ(found.states, 25u);
    ASSERT_TRUE(found.reached);
    EXPECT_EQ(found.reached->depth, 24);
  }
  EXPECT_TRUE(explore_by_reexecution(scenario, bounds, {}).complete);
}

}  // namespace
}  // namespace lockproof::sim::unrepresentable_test
