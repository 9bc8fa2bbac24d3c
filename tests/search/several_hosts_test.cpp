// SPDX-License-Identifier: Apache-2.0
// Both engines on scenarios of the catalogue in which something happens at several hosts at once.
#include <algorithm>

#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/search/same_search.hpp"

namespace lockproof::sim::several_hosts_test {
namespace {

/// Scenarios in which something happens at several hosts at once: replicas, failovers, sentinels, WAIT, faults placed
/// by another host's event; and those with a bound on notice. Clients ask at every instant that
/// can matter.
class AtSeveralHosts : public testing::TestWithParam<const char*> {};

TEST_P(AtSeveralHosts, IsSearchedAlike) {
  const harness::Scenario written = harness::load_scenario(tests::scenario_file(GetParam()));
  const harness::Bounds bounds = written.explore.value_or(harness::Bounds{});
  const harness::Scenario scenario = bounded(written, bounds, false);
  ASSERT_EQ(stateful_engine_refuses(scenario, bounds), "");
  tests::expect_same_search(explore_by_reexecution(scenario, bounds, {.reduce = false}),
                            explore_stateful(scenario, bounds, {.reduce = false}));
  tests::expect_same_search(explore_by_reexecution(scenario, bounds, {}), explore_stateful(scenario, bounds, {}));
}

INSTANTIATE_TEST_SUITE_P(Of, AtSeveralHosts,
                         testing::Values("failover-lost-lock", "old-master-serves", "min-replicas-refuses",
                                         "sentinel-lost-lock", "sentinel-split-brain-twin", "failover-lost-lock-wait",
                                         "wait-restarts-empty", "redlock-immediate-restart", "fencing-token-twice",
                                         "evicted-lock-key", "loss-not-reported", "one-renew-failure-repaired"),
                         [](const auto& one) { return tests::as_test_name(one.param); });

}  // namespace
}  // namespace lockproof::sim::several_hosts_test
