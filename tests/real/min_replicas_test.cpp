// SPDX-License-Identifier: Apache-2.0
// A real master that refuses writes while it hears from too few replicas. Its second is a second of the scenario.
#include <gtest/gtest.h>

#include "real/run/run.hpp"
#include "tests/real/scenarios.hpp"

namespace lockproof::tests::min_replicas_test {
namespace {

using harness::Event;
using harness::Fault;
using harness::FaultKind;
using harness::What;

/// The replica is cut off from the start on; the first client comes seconds later.
harness::Scenario cut_off(Duration start, Duration max_lag) {
  auto scenario = scenario_with("set-px-token", 1);
  scenario.servers[0].min_replicas_to_write = 1;
  scenario.servers[0].min_replicas_max_lag = max_lag;
  scenario.servers.push_back({"redis-2", {}, "redis-1"});
  scenario.clients[0].plan.start = start;
  scenario.clients[0].plan.acquire_timeout = harness::for_ever;
  Fault cut;
  cut.kind = FaultKind::partition;
  cut.target = "redis-2";
  cut.peer = "redis-1";
  cut.at = Duration(0);
  cut.lasts = seconds(10);
  scenario.faults = {cut};
  return scenario;
}

std::vector<std::string> refusals(const harness::History& history) {
  std::vector<std::string> refusals;
  for (const Event& event : events_of(history, What::receive, "client-1")) {
    if (event.reply->kind() == Reply::Kind::error) refusals.push_back(event.reply->value().bytes());
  }
  return refusals;
}

TEST(MinReplicas, WritesAreRefusedUntilTheReplicaIsHeardAgain) {
  const auto history = real::run(cut_off(seconds(5), seconds(1)), {});
  const auto refused = refusals(history);
  ASSERT_FALSE(refused.empty());
  EXPECT_EQ(refused[0], "NOREPLICAS Not enough good replicas to write.");
  const auto entered = events_of(history, What::enter, "client-1");
  ASSERT_EQ(entered.size(), 1U);
  EXPECT_GT(entered[0].at, seconds(10));
  EXPECT_LT(entered[0].at, seconds(14)) << "the replica says once a second that it is there";
  expect_causality(history);
}

TEST(MinReplicas, AReplicaCountsUntilItsLagHasPassed) {
  const auto history = real::run(cut_off(seconds(5), seconds(10)), {});
  EXPECT_TRUE(refusals(history).empty());
  EXPECT_LT(events_of(history, What::enter, "client-1").at(0).at, seconds(6));
}

TEST(MinReplicas, AnIdleReplicaIsHeardAllTheTime) {
  // With 1 s the master misses it now and then: its words come a little more than a second apart, and it counts whole
  // ones.
  auto scenario = cut_off(seconds(20), seconds(2));
  scenario.faults[0].lasts = seconds(1);
  const auto history = real::run(scenario, {});
  EXPECT_TRUE(refusals(history).empty());
}

}  // namespace
}  // namespace lockproof::tests::min_replicas_test
