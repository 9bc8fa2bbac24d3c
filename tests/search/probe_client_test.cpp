// SPDX-License-Identifier: Apache-2.0
// Deadlock-freedom without a bound: what becomes of a probe client once nobody else asks for the lock any more.
#include <fmt/format.h>

#include <algorithm>

#include "search/liveness/quiescent_states.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "search/results/counterexample.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::probe_client_test {
namespace {

using harness::Scenario;

std::vector<std::uint32_t> ends_of(const QuiescentStates& quiet) {
  std::vector<std::uint32_t> numbers;
  for (const QuiescentStates::State& end : quiet.ends()) numbers.push_back(end.number);
  return numbers;
}
using Numbers = std::vector<std::uint32_t>;

TEST(QuiescentStates, EndWhereNothingLeadsAway) {
  QuiescentStates quiet;
  quiet.add({10, 0, 1}, "a");
  quiet.add({20, 0, 2}, "b");
  quiet.add({30, 0, 3}, "c");
  quiet.leads(10, 20);
  quiet.leads(10, 30);
  EXPECT_EQ(ends_of(quiet), (Numbers{20, 30}));
  EXPECT_EQ(ends_of(QuiescentStates()), Numbers{});
}

TEST(QuiescentStates, ACycleIsAnEndIfNothingLeavesIt) {
  QuiescentStates quiet;
  for (std::uint32_t n = 1; n <= 4; ++n) quiet.add({n, 0, static_cast<int>(n)}, std::to_string(n));
  quiet.leads(1, 2);
  quiet.leads(2, 1);
  quiet.leads(2, 3);
  quiet.leads(3, 4);
  quiet.leads(4, 3);
  EXPECT_EQ(ends_of(quiet), Numbers{3});
}

TEST(QuiescentStates, OfEqualRemainsTheFewestFaultsAndThenTheFewestEventsStandForAll) {
  QuiescentStates quiet;
  quiet.add({1, 1, 5}, "key");
  quiet.add({2, 0, 9}, "key");
  quiet.add({3, 0, 7}, "key");
  quiet.add({4, 2, 1}, "no key");
  EXPECT_EQ(ends_of(quiet), (Numbers{3, 4}));
}

class ProbeClient : public testing::TestWithParam<decltype(&explore_stateful)> {
 protected:
  /// What deadlocks a search finds; a counterexample of each must run and show it.
  static std::set<std::string> deadlocks(const std::string& algorithm, const std::string& text, int clients = 2) {
    Scenario scenario = tests::scenario(
        fmt::format("[workload]\nclients = {}\nlease = \"2s\"\nwork = [\"hold 1s\"]\n[[client]]\nname = \"client-2\"\n"
                    "start = \"1ms\"\n",
                    clients) +
            text,
        algorithm);
    const harness::Bounds bounds = scenario.explore.value();
    scenario = bounded(scenario, bounds, false);
    const Exploration found = GetParam()(scenario, bounds, {});
    EXPECT_TRUE(found.complete && found.judged.contains("deadlock-freedom"));
    std::set<std::string> kinds;
    for (const auto& [way, broken] : found.broken) {
      if (way.first != "deadlock-freedom") continue;
      kinds.insert(way.second);
      const auto shown = counterexample(scenario, bounds, way.first, way.second, broken, seconds(60));
      EXPECT_TRUE(shown && !shown->hidden) << way.second;
      if (shown) {
        EXPECT_EQ(shown->scenario.expect.run->at("deadlock-freedom"), way.second);
      }
    }
    return kinds;
  }
  static std::string budget(const std::string& kind, const std::string& more = "") {
    return "[explore]\nattempts = 3\nretry = \"T/2\"\n[[explore.fault]]\nkind = \"" + kind + "\"\n" + more;
  }
};
using Kinds = std::set<std::string>;
INSTANTIATE_TEST_SUITE_P(Each, ProbeClient, testing::Values(explore_stateful, explore_by_reexecution),
                         [](const auto& one) { return one.index == 0 ? "Stateful" : "Reexecution"; });

TEST_P(ProbeClient, NeverGetsALockWhoseHolderDiedWithoutAnExpiry) {
  EXPECT_EQ(deadlocks("setnx-del", budget("crash")), Kinds{"orphaned"});
  EXPECT_EQ(deadlocks("setnx-expire-del", budget("crash")), Kinds{"orphaned"});
  EXPECT_EQ(deadlocks("set-px-token", budget("crash")), Kinds{});
  EXPECT_EQ(deadlocks("setnx-del", "[explore]\nattempts = 3\nretry = \"T/2\"\n"), Kinds{});
}

TEST_P(ProbeClient, NeverGetsALockThatAWatchdogRenewsForEver) {
  EXPECT_EQ(deadlocks("guard-thread-repaired", budget("kill-task")), Kinds{"orphaned"});
  EXPECT_EQ(deadlocks("guard-thread-repaired", budget("crash")), Kinds{});
}

TEST_P(ProbeClient, IsNotNeededWhereSomebodyWaitsForEverAlready) {
  EXPECT_EQ(deadlocks("token-pubsub", budget("pause", "for = \"1s\"\n")), Kinds{"lost-wakeup"});
  EXPECT_EQ(deadlocks("token-pubsub-repaired", budget("pause", "for = \"1s\"\n")), Kinds{});
}

/// It may abstain; in the counterexample it must, until the lock is known to be dead.
TEST_P(ProbeClient, IsNotNeededEitherWhereAThirdClientHasNeverAsked) {
  EXPECT_EQ(deadlocks("token-pubsub", "[explore]\nattempts = 1\n", 3), Kinds{"lost-wakeup"});
}

TEST_P(ProbeClient, FindsALockFreeWhoseHolderCompareTimes) {
  EXPECT_EQ(deadlocks("getset-timestamp", budget("crash")), Kinds{});
}

TEST_P(ProbeClient, IsNotAskedAfterASearchThatWasStopped) {
  Scenario scenario = tests::scenario("[workload]\nlease = \"2s\"\n" + budget("pause", "for = \"3s\"\n"));
  const harness::Bounds bounds = scenario.explore.value();
  scenario = bounded(scenario, bounds, false);
  Limits limits;
  limits.enough = [](const std::set<ViolationKind>&) { return true; };
  const Exploration found = GetParam()(scenario, bounds, limits);
  EXPECT_EQ(found.stopped, "enough was found");
  EXPECT_FALSE(found.judged.contains("deadlock-freedom"));
}

TEST(ProbeClientByReexecution, DoesNotComeWhereTheScenarioStatesABound) {
  Scenario scenario = tests::scenario(
      "[workload]\nwork = [\"hold 1s\"]\n[judge]\nprogress = \"1s\"\n[explore]\nattempts = 3\nretry = \"T/2\"\n"
      "[[explore.fault]]\nkind = \"crash\"\n",
      "setnx-del");
  const harness::Bounds bounds = scenario.explore.value();
  scenario = bounded(scenario, bounds, false);
  const Exploration found = explore_by_reexecution(scenario, bounds, {});
  ASSERT_TRUE(found.broken.contains({"deadlock-freedom", "orphaned"}));
  EXPECT_FALSE((found.broken.at({"deadlock-freedom", "orphaned"}).probe_client));
}

}  // namespace
}  // namespace lockproof::sim::probe_client_test
