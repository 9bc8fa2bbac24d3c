// SPDX-License-Identifier: Apache-2.0
// A master and its replica on real servers: what a failover loses, and who talks to whom after it.
#include <gtest/gtest.h>

#include "real/run/run.hpp"
#include "tests/real/scenarios.hpp"

namespace lockproof::tests::replication_test {
namespace {

using harness::Event;
using harness::EventPlace;
using harness::Fault;
using harness::FaultKind;
using harness::What;

/// The first client holds the lock for some seconds on a master that has a replica.
harness::Scenario master_and_replica() {
  auto scenario = two_clients("set-px-token");
  scenario.servers.push_back({"redis-2", {}, "redis-1"});
  for (auto& client : scenario.clients) client.plan.lease = milliseconds(20'000);
  scenario.clients[0].plan.work[0].lasts = seconds(5);
  scenario.speedup = 8;  // the second client comes 75 ms after the first: a busy machine keeps them in that order
  return scenario;
}

Fault failover(Duration at) {
  Fault fault;
  fault.kind = FaultKind::failover;
  fault.target = "redis-1";
  fault.peer = "redis-2";
  fault.at = at;
  return fault;
}

TEST(Replication, AReplicaRunsWhatItsMasterRan) {
  for (const bool through_the_proxy : {false, true}) {
    auto scenario = master_and_replica();
    scenario.clients[0].plan.work[0].lasts = seconds(1);
    if (through_the_proxy) {
      Fault cut;  // of nothing that matters
      cut.kind = FaultKind::partition;
      cut.target = "client-1";
      cut.peer = "client-2";
      cut.at = Duration(0);
      scenario.faults = {cut};
      scenario.network.replication = {milliseconds(0), milliseconds(300)};
    }
    const auto history = real::run(scenario, {});
    const auto replicated = events_of(history, What::replicate, "redis-2");
    ASSERT_GE(replicated.size(), 2U);
    EXPECT_EQ(replicated[0].command->verb(), "SET");
    EXPECT_EQ(history.host_name(replicated[0].peer), "redis-1");
    EXPECT_EQ(replicated[0].effects.at(0).event, "set");
    const Duration lag = through_the_proxy ? milliseconds(290) : milliseconds(0);  // the stamps are MONITOR's
    EXPECT_GE(replicated[0].at, events_of(history, What::execute, "redis-1").at(0).at + lag);
    EXPECT_TRUE(events_of(history, What::execute, "redis-2").empty());
    expect_causality(history);
  }
}

TEST(Failover, WhatWasReplicatedIsKept) {
  auto scenario = master_and_replica();
  scenario.faults = {failover(seconds(2))};
  const auto history = real::run(scenario, {});
  const auto entered = events_of(history, What::enter, "client-2");
  ASSERT_EQ(entered.size(), 1U);
  EXPECT_EQ(entered[0].others, 0);
  EXPECT_FALSE(events_of(history, What::execute, "redis-2").empty());
  EXPECT_EQ(events_of(history, What::finished, "client-1").size(), 1U);
  expect_causality(history);
}

TEST(Failover, WhatIsOnItsWayIsLost) {
  auto scenario = master_and_replica();
  Fault stall;
  stall.kind = FaultKind::replication_stall;
  stall.target = "redis-2";
  stall.at = Duration(0);
  stall.lasts = seconds(4);
  scenario.faults = {stall, failover(seconds(2))};
  const auto history = real::run(scenario, {});
  const auto entered = events_of(history, What::enter, "client-2");
  ASSERT_EQ(entered.size(), 1U);
  EXPECT_EQ(entered[0].others, 1);
  EXPECT_TRUE(events_of(history, What::replicate, "redis-2").empty());
  const auto strikes = events_of(history, What::strike, "redis-1");
  ASSERT_EQ(strikes.size(), 1U);
  for (const Event& event : events_of(history, What::execute, "redis-1")) EXPECT_LE(event.at, strikes[0].at);
  expect_causality(history);
}

TEST(Failover, StrikesBeforeTheReplicaHasIt) {
  auto scenario = master_and_replica();
  Fault fault = fault_at_event(FaultKind::failover, "redis-1", "redis-1", EventPlace::Moment::after, "SET");
  fault.peer = "redis-2";
  fault.old_serves = true;
  fault.to_clients = {"client-2"};
  fault.when->client = "client-1";
  scenario.faults = {fault};
  scenario.network.replication = {milliseconds(100), milliseconds(100)};
  const auto history = real::run(scenario, {});
  const auto entered = events_of(history, What::enter, "client-2");
  ASSERT_EQ(entered.size(), 1U);
  EXPECT_EQ(entered[0].others, 1);
  EXPECT_TRUE(events_of(history, What::replicate, "redis-2").empty());
}

TEST(Failover, AStallEndsAndTheReplicaCatchesUp) {
  auto scenario = master_and_replica();
  scenario.faults.push_back(
      fault_at_event(FaultKind::replication_stall, "redis-2", "client-1", EventPlace::Moment::before, "SET"));
  scenario.faults[0].lasts = seconds(1);
  const auto history = real::run(scenario, {});
  const auto heal = events_of(history, What::heal, "redis-2").at(0);
  const auto replicated = events_of(history, What::replicate, "redis-2");
  ASSERT_FALSE(replicated.empty());
  EXPECT_GE(replicated[0].at, heal.at - milliseconds(20));
}

TEST(Failover, AnOldMasterThatServesOnKeepsWhoIsNotTold) {
  auto scenario = master_and_replica();
  Fault stall;
  stall.kind = FaultKind::replication_stall;
  stall.target = "redis-2";
  stall.at = Duration(0);
  stall.lasts = seconds(4);
  Fault over = failover(seconds(2));
  over.old_serves = true;
  over.to_clients = {"client-2"};
  scenario.faults = {stall, over};
  const auto history = real::run(scenario, {});
  EXPECT_EQ(events_of(history, What::enter, "client-2").at(0).others, 1);
  const auto released = events_of(history, What::released, "client-1");
  ASSERT_EQ(released.size(), 1U);
  EXPECT_EQ(released[0].word, "yes") << "on the old master its lock is still there";
  EXPECT_TRUE(events_of(history, What::broken, "client-1").empty());
  EXPECT_FALSE(events_of(history, What::broken, "client-2").empty());
  expect_causality(history);
}

}  // namespace
}  // namespace lockproof::tests::replication_test
