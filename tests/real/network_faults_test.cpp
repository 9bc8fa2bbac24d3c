// SPDX-License-Identifier: Apache-2.0
// Faults of the network on real servers, made by the proxy: lost, late and repeated messages, broken connections,
// partitions, and faults placed by a server's events.
#include <gtest/gtest.h>

#include "real/run/run.hpp"
#include "tests/real/scenarios.hpp"

namespace lockproof::tests::network_faults_test {
namespace {

using harness::Event;
using harness::EventPlace;
using harness::Fault;
using harness::FaultKind;
using harness::OnTimeout;
using harness::What;
using harness::Work;

std::vector<Event> executed(const harness::History& history, std::string_view verb, std::string_view client) {
  std::vector<Event> found;
  for (const Event& event : events_of(history, What::execute, "redis-1")) {
    if (event.command->verb() == verb && history.host_name(event.peer) == client) found.push_back(event);
  }
  return found;
}

TEST(HalfOpen, ALostRequestNeverRunsAndItsConnectionIsDead) {
  auto scenario = two_clients("setnx-expire-del");
  scenario.network.on_timeout = OnTimeout::discard;
  scenario.clients[1].plan.acquire_timeout = seconds(3);
  scenario.faults.push_back(
      fault_at_event(FaultKind::half_open, "client-1", "client-1", EventPlace::Moment::before, "EXPIRE"));
  scenario.horizon = seconds(12);
  const auto history = real::run(scenario, {});
  EXPECT_EQ(executed(history, "SETNX", "client-1").size(), 1U);
  EXPECT_TRUE(executed(history, "EXPIRE", "client-1").empty());
  EXPECT_TRUE(executed(history, "DEL", "client-1").empty()) << "all that comes later on the connection is lost too";
  const auto drops = events_of(history, What::drop, "client-1");
  ASSERT_FALSE(drops.empty());
  EXPECT_EQ(drops[0].word, "request");
  EXPECT_EQ(drops[0].message, 2);
  EXPECT_EQ(history.host_name(drops[0].peer), "redis-1");
  EXPECT_EQ(events_of(history, What::time_out, "client-1").at(0).message, 2);
  expect_causality(history);
}

TEST(HalfOpen, ALostReplyMeansThatTheCommandRanAndNobodyKnows) {
  auto scenario = two_clients("set-px-token");
  scenario.clients[1].plan.start = milliseconds(1'500);
  scenario.faults.push_back(
      fault_at_event(FaultKind::half_open, "client-1", "client-1", EventPlace::Moment::before, "SET"));
  scenario.faults[0].reply = true;
  const auto history = real::run(scenario, {});
  ASSERT_FALSE(executed(history, "SET", "client-1").empty());
  EXPECT_EQ(events_of(history, What::failed, "client-1").at(0).error, Error::no_reply);
  EXPECT_EQ(events_of(history, What::drop, "client-1").at(0).word, "reply");
  EXPECT_EQ(executed(history, "SET", "client-1").at(0).effects.size(), 2U);
  expect_causality(history);
}

TEST(HalfOpen, TheResourcesConnectionDiesLikeAnyOther) {
  auto scenario = two_clients("set-px-token");
  for (auto& client : scenario.clients) client.plan.work = {{Work::Kind::read, {}}, {Work::Kind::write, {}}};
  scenario.faults.push_back(
      fault_at_event(FaultKind::half_open, "client-1", "client-1", EventPlace::Moment::before, "WRITE"));
  const auto history = real::run(scenario, {});
  std::vector<std::string> of_first;
  for (const Event& event : events_of(history, What::execute, "resource")) {
    if (event.peer == 0) of_first.emplace_back(event.command->verb());
  }
  EXPECT_EQ(of_first, std::vector<std::string>{"READ"});
  EXPECT_EQ(events_of(history, What::drop, "client-1").size(), 1U);
  expect_causality(history);
}

TEST(Delay, AMessageComesLaterAndAllBehindIt) {
  auto scenario = two_clients("set-px-token");
  scenario.faults.push_back(
      fault_at_event(FaultKind::delay, "client-1", "client-1", EventPlace::Moment::before, "compare-and-delete"));
  scenario.faults[0].by = milliseconds(700);
  const auto history = real::run(scenario, {});
  const auto ran = executed(history, "compare-and-delete", "client-1");
  ASSERT_EQ(ran.size(), 1U);
  const auto sent = events_of(history, What::send, "client-1").back();
  EXPECT_GE(ran[0].at - sent.at, milliseconds(690));
  EXPECT_LT(ran[0].at - sent.at, milliseconds(1'200));
  EXPECT_EQ(events_of(history, What::strike, "client-1").at(0).value, 700'000);
  expect_causality(history);
}

TEST(Resend, ACommandRunsTwiceAndTheSecondReplyCounts) {
  auto scenario = two_clients("set-px-token");
  scenario.faults.push_back(
      fault_at_event(FaultKind::resend, "client-1", "client-1", EventPlace::Moment::before, "SET"));
  scenario.faults[0].lasts = milliseconds(400);
  const auto history = real::run(scenario, {});
  const auto ran = executed(history, "SET", "client-1");
  ASSERT_GE(ran.size(), 2U);
  EXPECT_EQ(ran[0].command->args(), ran[1].command->args());
  EXPECT_GE(ran[1].at - ran[0].at, milliseconds(350));
  EXPECT_TRUE(ran[1].reply->is_nil()) << "the key was there already: its own";
  EXPECT_FALSE(events_of(history, What::busy, "client-1").empty());
  EXPECT_TRUE(events_of(history, What::time_out, "client-1").empty());
  expect_causality(history);
}

TEST(Retry, ACallGoesOnBehindItsTimeOut) {
  for (const bool same : {false, true}) {
    auto scenario = two_clients("set-px-token");
    scenario.clients[1].plan.start = seconds(1);
    scenario.faults.push_back(
        fault_at_event(FaultKind::retry, "client-1", "client-1", EventPlace::Moment::before, "SET"));
    scenario.faults[0].reply = true;
    scenario.faults[0].same_connection = same;
    const auto history = real::run(scenario, {});
    const auto ran = executed(history, "SET", "client-1");
    ASSERT_GE(ran.size(), 2U);
    EXPECT_EQ(ran[0].command->args(), ran[1].command->args());
    EXPECT_GE(ran[1].at - ran[0].at, scenario.network.timeout - milliseconds(50));
    EXPECT_TRUE(ran[1].reply->is_nil()) << "the key was there already: its own";
    EXPECT_FALSE(events_of(history, What::busy, "client-1").empty());
    EXPECT_EQ(events_of(history, What::strike, "client-1").size(), 1U);
    EXPECT_TRUE(events_of(history, What::time_out, "client-1").empty());
    expect_causality(history);
  }
}

TEST(BreakConnection, BothSidesNoticeAndTheDriverConnectsAgain) {
  auto scenario = two_clients("set-px-token");
  scenario.faults.push_back(
      fault_at_event(FaultKind::break_connection, "client-1", "client-1", EventPlace::Moment::enters));
  scenario.faults[0].peer = "redis-1";
  const auto history = real::run(scenario, {});
  EXPECT_EQ(events_of(history, What::broken, "client-1").size(), 1U);
  EXPECT_EQ(events_of(history, What::released, "client-1").at(0).word, "yes");
  expect_causality(history);
}

TEST(BreakConnection, ItEndsTheCallsThatWaitOnIt) {
  auto scenario = two_clients("set-px-token");
  Fault pause;
  pause.target = "redis-1";
  pause.at = Duration(0);
  pause.lasts = seconds(1);
  Fault broken;
  broken.kind = FaultKind::break_connection;
  broken.target = "client-1";
  broken.peer = "redis-1";
  broken.at = milliseconds(400);
  scenario.faults = {pause, broken};
  scenario.clients[0].plan.start = milliseconds(100);
  const auto history = real::run(scenario, {});
  const auto failed = events_of(history, What::failed, "client-1");
  ASSERT_FALSE(failed.empty());
  EXPECT_EQ(failed[0].error, Error::no_reply);
  EXPECT_LT(failed[0].at, milliseconds(900));
  EXPECT_EQ(events_of(history, What::finished, "client-1").size(), 1U);
}

TEST(FirstInstant, WhatStrikesThenStrikesBeforeAnybodyRuns) {
  for (int i = 0; i < 5; ++i) {
    auto scenario = two_clients("set-px-token");
    for (const char* target : {"client-1", "client-2"}) {
      Fault cut;
      cut.kind = FaultKind::partition;
      cut.target = target;
      cut.peer = "redis-1";
      cut.at = Duration(0);
      cut.lasts = seconds(1);
      scenario.faults.push_back(cut);
    }
    scenario.network.timeout = seconds(10);
    const auto history = real::run(scenario, {});
    for (const Event& event : history.events) {
      EXPECT_TRUE(event.what != What::strike || event.at == Duration(0));
      EXPECT_TRUE(event.what != What::execute || event.at >= milliseconds(990)) << "quicker than the partition";
    }
    EXPECT_FALSE(events_of(history, What::execute, "redis-1").empty());
    expect_causality(history);
  }
}

TEST(FirstInstant, AServerThatGoesDownThenIsDownForTheFirstCommand) {
  auto scenario = two_clients("set-px-token");
  Fault restart;
  restart.kind = FaultKind::restart;
  restart.target = "redis-1";
  restart.at = Duration(0);
  restart.lasts = seconds(1);
  scenario.faults = {restart};
  const auto history = real::run(scenario, {});
  EXPECT_EQ(events_of(history, What::strike, "redis-1").at(0).at, Duration(0));
  EXPECT_FALSE(events_of(history, What::refused, "client-1").empty());
  EXPECT_EQ(events_of(history, What::enter, "client-1").size(), 1U);
  expect_causality(history);
}

TEST(Partition, WhatWasSentArrivesAfterIt) {
  for (const auto way : {Fault::Direction::both, Fault::Direction::to_peer, Fault::Direction::from_peer}) {
    auto scenario = two_clients("set-px-token");
    scenario.network.on_timeout = OnTimeout::discard;
    scenario.network.timeout = seconds(1);
    scenario.clients[1].plan.work[0].lasts = seconds(4);  // the run ends after the partition does
    scenario.faults.push_back(fault_at_event(FaultKind::partition, "client-1", "client-1", EventPlace::Moment::exits));
    scenario.faults[0].peer = "redis-1";
    scenario.faults[0].direction = way;
    scenario.faults[0].lasts = seconds(2);
    const auto history = real::run(scenario, {});
    const auto heal = events_of(history, What::heal, "client-1").at(0);
    EXPECT_EQ(events_of(history, What::released, "client-1").at(0).error, Error::no_reply);
    const auto ran = executed(history, "compare-and-delete", "client-1");
    ASSERT_EQ(ran.size(), 1U);
    EXPECT_EQ(ran[0].at < heal.at, way == Fault::Direction::from_peer);
    expect_causality(history);
  }
}

TEST(Partition, OfAServerFromAllCutsEverybodyOff) {
  auto scenario = two_clients("set-px-token");
  Fault cut;
  cut.kind = FaultKind::partition;
  cut.target = "redis-1";
  cut.at = Duration(0);
  cut.lasts = seconds(1);
  scenario.faults = {cut};
  scenario.clients[0].plan.start = milliseconds(100);
  const auto history = real::run(scenario, {});
  for (const Event& event : events_of(history, What::execute, "redis-1")) EXPECT_GE(event.at, milliseconds(990));
  for (const char* client : {"client-1", "client-2"}) EXPECT_EQ(events_of(history, What::finished, client).size(), 1U);
  expect_causality(history);
}

TEST(Partition, OfAReplicaInOneDirectionStopsReplicationInThatOne) {
  for (const auto way : {Fault::Direction::to_peer, Fault::Direction::from_peer}) {
    auto scenario = two_clients("set-px-token");
    scenario.servers.push_back({"redis-2", {}, "redis-1"});
    Fault cut;
    cut.kind = FaultKind::partition;
    cut.target = "redis-1";
    cut.peer = "redis-2";
    cut.direction = way;
    cut.at = Duration(0);
    cut.lasts = seconds(4);
    scenario.faults = {cut};
    scenario.clients[0].plan.start = milliseconds(300);
    scenario.clients[0].plan.lease = seconds(20);
    scenario.clients[0].plan.work[0].lasts = seconds(6);  // the run goes on for longer than the partition
    scenario.speedup = 8;
    const auto history = real::run(scenario, {});
    const auto heal = events_of(history, What::heal, "redis-1").at(0);
    const auto applied = events_of(history, What::replicate, "redis-2");
    ASSERT_FALSE(applied.empty());
    EXPECT_EQ(applied[0].at >= heal.at, way == Fault::Direction::to_peer);
    expect_causality(history);
  }
}

TEST(Partition, FromTheResourceHoldsAccessesBack) {
  auto scenario = scenario_with("set-px-token", 1);
  scenario.clients[0].plan.work = {{Work::Kind::read, {}}, {Work::Kind::write, {}}};
  Fault cut;
  cut.kind = FaultKind::partition;
  cut.target = "client-1";
  cut.peer = "resource";
  cut.at = Duration(0);
  cut.lasts = seconds(1);
  scenario.faults = {cut};
  const auto history = real::run(scenario, {});
  EXPECT_LT(events_of(history, What::enter, "client-1").at(0).at, seconds(1));
  EXPECT_GE(events_of(history, What::execute, "resource").at(0).at,
            events_of(history, What::heal, "client-1").at(0).at);
  expect_causality(history);
}

/// A client that reads and writes.
harness::Scenario reader_and_writer() {
  auto scenario = scenario_with("set-px-token", 1);
  scenario.clients[0].plan.work = {{Work::Kind::read, {}}, {Work::Kind::write, {}}};
  return scenario;
}

TEST(ResourceEvent, BeforeAnAccessTheServerCanLoseItsKeys) {
  auto scenario = reader_and_writer();
  scenario.faults.push_back(
      fault_at_event(FaultKind::flush, "redis-1", "resource", EventPlace::Moment::before, "WRITE"));
  const auto history = real::run(scenario, {});
  const auto strike = events_of(history, What::strike, "redis-1").at(0);
  const auto accesses = events_of(history, What::execute, "resource");
  ASSERT_EQ(accesses.size(), 2U);
  EXPECT_LE(accesses[0].at, strike.at);
  EXPECT_LE(strike.at, accesses[1].at);
  EXPECT_EQ(events_of(history, What::released, "client-1").at(0).word, "not-ours");
  expect_causality(history);
}

TEST(ResourceEvent, AfterAnAccessItsAnswerCanBeLost) {
  auto scenario = reader_and_writer();
  Fault drop = fault_at_event(FaultKind::half_open, "client-1", "resource", EventPlace::Moment::after, "WRITE");
  drop.reply = true;
  drop.when->client = "client-1";
  scenario.faults = {drop};
  const auto history = real::run(scenario, {});
  EXPECT_EQ(events_of(history, What::execute, "resource").size(), 2U) << "the write has happened";
  EXPECT_EQ(events_of(history, What::drop, "client-1").at(0).word, "reply");
  EXPECT_EQ(events_of(history, What::time_out, "client-1").size(), 1U);
  expect_causality(history);
}

TEST(ServerEvent, BeforeACommandRunsTheServerCanStandStill) {
  auto scenario = two_clients("set-px-token");
  scenario.faults.push_back(
      fault_at_event(FaultKind::pause, "redis-1", "redis-1", EventPlace::Moment::before, "compare-and-delete"));
  scenario.faults[0].lasts = seconds(1);
  scenario.faults[0].when->client = "client-1";
  const auto history = real::run(scenario, {});
  const auto strike = events_of(history, What::strike, "redis-1").at(0);
  const auto heal = events_of(history, What::heal, "redis-1").at(0);
  const auto ran = executed(history, "compare-and-delete", "client-1");
  ASSERT_EQ(ran.size(), 1U);
  EXPECT_GE(ran[0].at, heal.at);
  EXPECT_LT(strike.at, events_of(history, What::receive, "client-1").back().at);
  expect_causality(history);
}

TEST(ServerEvent, AfterACommandHasRunTheServerCanLoseItsPower) {
  auto scenario = two_clients("set-px-token");
  scenario.faults.push_back(
      fault_at_event(FaultKind::power_cut, "redis-1", "redis-1", EventPlace::Moment::after, "SET"));
  scenario.faults[0].lasts = milliseconds(500);
  const auto history = real::run(scenario, {});
  const auto ran = executed(history, "SET", "client-1");
  ASSERT_FALSE(ran.empty());
  EXPECT_LE(ran[0].at, events_of(history, What::strike, "redis-1").at(0).at);
  EXPECT_EQ(events_of(history, What::failed, "client-1").at(0).error, Error::no_reply) << "the reply was on its way";
  expect_causality(history);
}

TEST(ServerEvent, AMessageCanBeDroppedOnItsArrival) {
  auto scenario = two_clients("set-px-token");
  scenario.faults.push_back(
      fault_at_event(FaultKind::half_open, "client-1", "redis-1", EventPlace::Moment::before, "SET"));
  scenario.faults[0].when->client = "client-1";
  const auto history = real::run(scenario, {});
  EXPECT_EQ(events_of(history, What::drop, "client-1").size(), 1U);
  EXPECT_EQ(events_of(history, What::failed, "client-1").at(0).error, Error::no_reply);
  expect_causality(history);
}

}  // namespace
}  // namespace lockproof::tests::network_faults_test
