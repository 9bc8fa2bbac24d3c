// SPDX-License-Identifier: Apache-2.0
// Real Sentinels: how they replace a master, and what becomes of the old one.
#include <gtest/gtest.h>

#include "real/errors.hpp"
#include "real/run/run.hpp"
#include "tests/real/scenarios.hpp"

namespace lockproof::tests::sentinel_test {
namespace {

using harness::Event;
using harness::Fault;
using harness::FaultKind;
using harness::What;

/// A client that holds the lock for long, another one that wants it, and a replica that a sentinel promotes.
harness::Scenario watched(int sentinels) {
  auto scenario = scenario_with("set-px-token", 2);
  scenario.servers.push_back({"redis-2", {}, "redis-1"});
  scenario.sentinels.push_back({.master = "redis-1",
                                .promotes = "redis-2",
                                .down_after = seconds(5),
                                .count = sentinels,
                                .quorum = sentinels / 2 + 1});
  for (auto& client : scenario.clients) {
    client.plan.lease = milliseconds(60'000);
    client.plan.acquire_timeout = harness::for_ever;
    client.plan.work[0].lasts = seconds(12);
  }
  scenario.clients[1].plan.start = seconds(1);
  scenario.horizon = seconds(90);
  scenario.speedup = 15;
  return scenario;
}

Fault fault(FaultKind kind, const char* target, Duration at, Duration lasts) {
  Fault fault;
  fault.kind = kind;
  fault.target = target;
  fault.at = at;
  fault.lasts = lasts;
  return fault;
}

std::vector<Event> decided(const harness::History& history, const std::string& what) {
  std::vector<Event> found;
  for (const Event& event : history.events) {
    if (event.what == What::strike && event.word == what && event.fault == 0) found.push_back(event);
  }
  return found;
}

TEST(Sentinel, PromotesAReplicaWhoseMasterHasEnded) {
  for (const int count : {1, 3}) {
    auto scenario = watched(count);
    scenario.faults = {fault(FaultKind::power_cut, "redis-1", seconds(3), seconds(80))};
    const auto history = real::run(scenario, {});
    const auto failovers = decided(history, "failover");
    ASSERT_EQ(failovers.size(), 1U);
    EXPECT_EQ(history.host_name(failovers[0].host), "redis-1");
    EXPECT_EQ(history.host_name(failovers[0].peer), "redis-2");
    EXPECT_GT(*failovers[0].value, 4'500'000)
        << "it had not heard the master for down_after, as far as the proxy knows";
    EXPECT_GT(failovers[0].at, seconds(7));
    const auto entered = events_of(history, What::enter, "client-2");
    ASSERT_EQ(entered.size(), 1U);
    EXPECT_GT(entered[0].at, failovers[0].at);
    const auto executed = events_of(history, What::execute, "redis-2");
    ASSERT_FALSE(executed.empty()) << "clients turned to the new master";
    EXPECT_GT(executed[0].at, failovers[0].at);
    expect_causality(history);
  }
}

TEST(Sentinel, DoesNothingWhereTheMasterIsSilentForLess) {
  auto scenario = watched(1);
  scenario.faults = {fault(FaultKind::pause, "redis-1", seconds(3), seconds(2))};
  const auto history = real::run(scenario, {});
  EXPECT_TRUE(decided(history, "failover").empty());
  EXPECT_TRUE(events_of(history, What::execute, "redis-2").empty());
}

TEST(Sentinel, AnOldMasterServesUntilItBecomesAReplicaAndMayBeNext) {
  auto scenario = watched(3);
  scenario.sentinels[0].to_clients = {"client-2"};
  scenario.clients[0].plan.work[0].lasts = seconds(15);  // released while the old master still serves
  scenario.clients[0].plan.rounds = 2;
  scenario.clients[0].plan.think_time = seconds(1);
  scenario.clients[0].plan.start = seconds(1);
  scenario.clients[0].plan.acquire_timeout = seconds(5);
  scenario.clients[1].plan.start = seconds(2);
  scenario.clients[1].plan.work[0].lasts = seconds(28);
  Fault cut = fault(FaultKind::partition, "redis-1", milliseconds(500), seconds(9));
  cut.peer = "redis-2";
  scenario.faults = {cut, fault(FaultKind::power_cut, "redis-2", seconds(25), seconds(50))};
  const auto history = real::run(scenario, {});
  const auto failovers = decided(history, "failover");
  const auto demotions = decided(history, "demotion");
  ASSERT_EQ(failovers.size(), 2U);
  ASSERT_EQ(demotions.size(), 1U);
  EXPECT_EQ(history.host_name(demotions[0].host), "redis-1");
  EXPECT_EQ(history.host_name(demotions[0].peer), "redis-2");
  EXPECT_GT(demotions[0].at - failovers[0].at, seconds(8));
  bool served_both = false;  // one client by the old master, while the other one was inside by the new one
  for (const Event& event : events_of(history, What::enter, "client-2")) served_both |= event.others == 1;
  EXPECT_TRUE(served_both);
  for (const Event& event : events_of(history, What::execute, "redis-1")) {
    EXPECT_FALSE(event.at > demotions[0].at && event.at < failovers[1].at) << "clients do not ask a replica";
  }
  EXPECT_EQ(history.host_name(failovers[1].host), "redis-2");
  EXPECT_EQ(history.host_name(failovers[1].peer), "redis-1");
  EXPECT_GT(failovers[1].at, seconds(29));
  expect_causality(history);
}

TEST(Sentinel, AFailoverByHandItWouldUndo) {
  auto scenario = watched(1);
  Fault by_hand = fault(FaultKind::failover, "redis-1", seconds(3), {});
  by_hand.peer = "redis-2";
  scenario.faults = {by_hand};
  EXPECT_THROW((void)real::run(scenario, {}), real::UnsupportedFeature);
}

}  // namespace
}  // namespace lockproof::tests::sentinel_test
