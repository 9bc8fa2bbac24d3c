// SPDX-License-Identifier: Apache-2.0
// Whole runs on real servers: what the histories say.
#include "real/run/run.hpp"
#include "real/errors.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <stop_token>

#include "harness/check/expectation.hpp"
#include "harness/history/jsonl.hpp"
#include "harness/stop.hpp"
#include "real/clock/world_time.hpp"
#include "real/os/last_end.hpp"
#include "tests/real/scenarios.hpp"

namespace lockproof::tests::run_test {
namespace {

using harness::Event;
using harness::EventPlace;
using harness::FaultKind;
using harness::What;
using harness::Work;

int most_others(const harness::History& history) {
  int most = 0;
  for (const Event& event : history.events) most = std::max(most, event.others.value_or(0));
  return most;
}

TEST(Run, WithoutFaultsNobodyOverlapsAndEverybodyFinishes) {
  const auto history = real::run(scenario_with("set-px-token", 2), {});
  EXPECT_EQ(history.events.back().what, What::end);
  EXPECT_EQ(history.events.back().word, "finished");
  EXPECT_EQ(most_others(history), 0);
  for (const char* client : {"client-1", "client-2"}) EXPECT_EQ(events_of(history, What::finished, client).size(), 1U);
  expect_causality(history);
  EXPECT_EQ(harness::from_jsonl(harness::to_jsonl(history)).events, history.events);
}

TEST(Run, APauseLongerThanTheLeaseMakesHoldersOverlap) {
  auto scenario = two_clients("set-px-token");
  scenario.faults.push_back(fault_at_event(FaultKind::pause, "client-1", "client-1", EventPlace::Moment::enters));
  scenario.faults[0].lasts = seconds(7);
  const auto history = real::run(scenario, {});
  const auto entered = events_of(history, What::enter, "client-2");
  ASSERT_EQ(entered.size(), 1U);
  EXPECT_EQ(entered[0].others, 1);
  const auto strikes = events_of(history, What::strike, "client-1");
  const auto heals = events_of(history, What::heal, "client-1");
  ASSERT_EQ(strikes.size(), 1U);
  ASSERT_EQ(heals.size(), 1U);
  EXPECT_EQ(strikes[0].word, "pause");
  EXPECT_EQ(strikes[0].fault, 1);
  EXPECT_GE(heals[0].at - strikes[0].at, seconds(7));
  EXPECT_LT(heals[0].at - strikes[0].at, seconds(8));
  for (const Event& event : history.events) {
    const bool of_client_1 = event.host == 0 && event.what != What::heal;
    EXPECT_FALSE(of_client_1 && event.at > strikes[0].at && event.at < heals[0].at) << "it did something in the pause";
  }
  expect_causality(history);
}

TEST(Run, ACrashBeforeExpireLeavesTheKeyWithoutAnExpiry) {
  auto scenario = two_clients("setnx-expire-del");
  scenario.clients[1].plan.acquire_timeout = seconds(10);
  scenario.faults.push_back(
      fault_at_event(FaultKind::crash, "client-1", "client-1", EventPlace::Moment::before, "EXPIRE"));
  const auto history = real::run(scenario, {});
  EXPECT_EQ(events_of(history, What::strike, "client-1").size(), 1U);
  EXPECT_TRUE(events_of(history, What::enter, "client-2").empty());
  EXPECT_EQ(events_of(history, What::gave_up, "client-2").size(), 1U);
  std::vector<std::string> effects;
  for (const Event& event : events_of(history, What::execute, "redis-1")) {
    for (const auto& effect : event.effects) effects.push_back(effect.event);
  }
  EXPECT_EQ(effects, std::vector<std::string>{"set"});
}

TEST(Run, APauseBeforeACommandLeavesComesBeforeItsSending) {
  auto scenario = two_clients("set-px-token");
  scenario.faults.push_back(
      fault_at_event(FaultKind::pause, "client-1", "client-1", EventPlace::Moment::before, "compare-and-delete"));
  scenario.faults[0].lasts = seconds(2);
  const auto history = real::run(scenario, {});
  const auto sends = events_of(history, What::send, "client-1");
  const auto heals = events_of(history, What::heal, "client-1");
  const auto strikes = events_of(history, What::strike, "client-1");
  ASSERT_EQ(heals.size(), 1U);
  ASSERT_FALSE(sends.empty());
  EXPECT_EQ(sends.back().command->verb(), "compare-and-delete");
  EXPECT_GE(sends.back().at, heals[0].at);
  EXPECT_LT(events_of(history, What::release, "client-1").at(0).at, strikes.at(0).at);
}

TEST(Run, APauseAfterACommandComesBetweenItsRunningAndItsReceipt) {
  auto scenario = two_clients("set-px-token");
  scenario.faults.push_back(fault_at_event(FaultKind::pause, "client-1", "client-1", EventPlace::Moment::after, "SET"));
  scenario.faults[0].lasts = seconds(3);  // longer than the call's time-out
  const auto history = real::run(scenario, {});
  const auto receipts = events_of(history, What::receive, "client-1");
  ASSERT_FALSE(receipts.empty());
  EXPECT_GE(receipts[0].at, events_of(history, What::heal, "client-1").at(0).at);
  EXPECT_TRUE(events_of(history, What::time_out, "client-1").empty()) << "the reply was there before the time-out";
}

TEST(Run, AClientsEventCanMakeAServersClockJump) {
  auto scenario = two_clients("set-px-token");
  scenario.faults.push_back(fault_at_event(FaultKind::clock_jump, "redis-1", "client-1", EventPlace::Moment::enters));
  scenario.faults[0].by = seconds(10);
  const auto history = real::run(scenario, {});
  EXPECT_EQ(most_others(history), 1);
  const auto strikes = events_of(history, What::strike, "redis-1");
  ASSERT_EQ(strikes.size(), 1U);
  EXPECT_EQ(strikes[0].value, 10'000'000);
  for (const Event& event : events_of(history, What::execute, "redis-1")) {
    const std::int64_t ahead_ms = event.clocks.wall_ms - 1'700'000'000'000 - event.at.count() / 1000;
    EXPECT_NEAR(static_cast<double>(ahead_ms), event.at > strikes[0].at ? 10'000 : 0, 1);
  }
  expect_causality(history);
}

TEST(Run, AClientsOwnWallClockJumpsAndItsOthersDoNot) {
  auto scenario = two_clients("getset-timestamp");
  scenario.faults.push_back(fault_at_event(FaultKind::clock_jump, "client-1", "client-1", EventPlace::Moment::enters));
  scenario.faults[0].by = seconds(-3600);
  const auto history = real::run(scenario, {});
  const auto strike = events_of(history, What::strike, "client-1").at(0);
  const auto exit = events_of(history, What::exit, "client-1").at(0);
  EXPECT_NEAR(static_cast<double>(exit.clocks.wall_ms - 1'700'000'000'000 + 3'600'000),
              static_cast<double>(exit.at.count() / 1000), 1);
  EXPECT_EQ(exit.clocks.mono_us, exit.at.count());
  EXPECT_LT(strike.at, exit.at);
}

TEST(Run, FaultsByTimeStrikeClientsAndServersOnce) {
  auto scenario = two_clients("set-px-token");
  harness::Fault server_pause;
  server_pause.target = "redis-1";
  server_pause.at = milliseconds(100);
  server_pause.lasts = milliseconds(500);
  harness::Fault client_pause;
  client_pause.target = "client-1";
  client_pause.at = milliseconds(200);
  client_pause.lasts = milliseconds(500);
  harness::Fault client_crash;
  client_crash.kind = FaultKind::crash;
  client_crash.target = "client-1";
  client_crash.at = milliseconds(900);
  scenario.faults = {server_pause, client_pause, client_crash};
  const auto history = real::run(scenario, {});
  EXPECT_EQ(events_of(history, What::strike, "redis-1").size(), 1U);
  EXPECT_EQ(events_of(history, What::heal, "redis-1").size(), 1U);
  EXPECT_EQ(events_of(history, What::strike, "client-1").size(), 2U);
  EXPECT_EQ(events_of(history, What::heal, "client-1").size(), 1U);
  EXPECT_EQ(events_of(history, What::finished, "client-2").size(), 1U);
  EXPECT_TRUE(events_of(history, What::finished, "client-1").empty());
  expect_causality(history);
}

TEST(Run, AFaultCanComeSomeTimeAfterItsEvent) {
  auto scenario = two_clients("set-px-token");
  scenario.faults.push_back(fault_at_event(FaultKind::pause, "client-1", "client-1", EventPlace::Moment::enters));
  scenario.faults[0].delay = milliseconds(400);
  scenario.faults[0].lasts = milliseconds(1000);
  const auto history = real::run(scenario, {});
  const auto entered = events_of(history, What::enter, "client-1").at(0);
  const auto strikes = events_of(history, What::strike, "client-1");
  ASSERT_EQ(strikes.size(), 1U);
  EXPECT_GE(strikes[0].at - entered.at, milliseconds(400));
  EXPECT_LT(strikes[0].at - entered.at, milliseconds(1'500));
}

TEST(Run, AfterATimeOutTheDriverReconnectsAndTheOldCommandStillRuns) {
  auto scenario = scenario_with("set-px-token", 1);
  scenario.network.timeout = milliseconds(500);
  harness::Fault pause;
  pause.target = "redis-1";
  pause.at = Duration(0);
  pause.lasts = milliseconds(2000);
  scenario.faults.push_back(pause);
  scenario.clients[0].plan.start = milliseconds(100);
  const auto history = real::run(scenario, {});
  EXPECT_GE(events_of(history, What::time_out, "client-1").size(), 2U);
  const auto sent = events_of(history, What::send, "client-1").size();
  EXPECT_EQ(events_of(history, What::execute, "redis-1").size(), sent) << "each command ran in the end";
  expect_causality(history);
}

TEST(Run, TheResourceIsReadAndWritten) {
  auto scenario = scenario_with("set-px-token", 2);
  for (auto& client : scenario.clients) {
    client.plan.work = {{Work::Kind::read, {}}, {Work::Kind::hold, milliseconds(100)}, {Work::Kind::write, {}}};
  }
  const auto history = real::run(scenario, {});
  std::vector<std::int64_t> replies;
  for (const Event& event : events_of(history, What::execute, "resource")) replies.push_back(event.reply->integer());
  EXPECT_EQ(replies, (std::vector<std::int64_t>{0, 1, 1, 2}));
  expect_causality(history);
}

TEST(Run, AWriteOnItsWayOutlivesItsWriter) {
  auto scenario = scenario_with("set-px-token", 1);
  scenario.clients[0].plan.work = {{Work::Kind::read, {}}, {Work::Kind::write, {}}};
  scenario.faults.push_back(
      fault_at_event(FaultKind::crash, "client-1", "client-1", EventPlace::Moment::after, "WRITE"));
  const auto history = real::run(scenario, {});
  EXPECT_EQ(events_of(history, What::execute, "resource").size(), 2U);
  EXPECT_TRUE(events_of(history, What::exit, "client-1").empty());
}

TEST(Run, EndsAtTheHorizonAtTheLatest) {
  auto scenario = scenario_with("set-px-token", 1);
  scenario.clients[0].plan.work[0].lasts = seconds(500);
  scenario.horizon = seconds(4);
  const auto history = real::run(scenario, {});
  EXPECT_EQ(history.events.back().word, "horizon");
  EXPECT_GE(history.events.back().at, seconds(4));
  EXPECT_LT(history.events.back().at, seconds(6));
}

TEST(Run, AServersDeathIsSeenThrough) {
  auto scenario = two_clients("set-px-token");
  scenario.faults.push_back(fault_at_event(FaultKind::crash, "redis-1", "client-1", EventPlace::Moment::enters));
  scenario.horizon = seconds(10);
  const auto history = real::run(scenario, {});
  EXPECT_EQ(events_of(history, What::strike, "redis-1").size(), 1U);
  EXPECT_FALSE(events_of(history, What::failed, "client-2").empty());
  expect_causality(history);
}

TEST(Run, WhatItCannotDoItSays) {
  auto scenario = two_clients("set-px-token");
  scenario.faults.push_back(
      fault_at_event(FaultKind::resend, "client-1", "redis-1", EventPlace::Moment::before, "SET"));
  EXPECT_THROW((void)real::run(scenario, {}), real::UnsupportedFeature);
  scenario.faults[0] = fault_at_event(FaultKind::pause, "resource", "client-1", EventPlace::Moment::before, "SET");
  EXPECT_THROW((void)real::run(scenario, {}), real::UnsupportedFeature);
}

TEST(Run, EndsAtOnceWhenItIsStopped) {
  std::stop_source stop;
  stop.request_stop();
  const std::int64_t begin = real::machine_ns();
  EXPECT_THROW((void)real::run(scenario_with("set-px-token", 2), {.stop = stop.get_token()}), harness::Cancellation);
  EXPECT_LT(real::machine_ns() - begin, 10'000'000'000);
}

TEST(Run, IsEndedWhereItWaitsWithoutAnEnd) {
  const auto waits = [] {
    const real::LastEnd last(1'000'000);
    for (;;) ::pause();
  };
  EXPECT_EXIT(waits(), testing::ExitedWithCode(check::exit_code::environment), "a real run has not ended");
}

TEST(Run, InputsAreLeftOutIfNobodyWantsThem) {
  const auto history = real::run(scenario_with("set-px-token", 1), {.seed = 1, .record_inputs = false});
  for (const Event& event : history.events) {
    EXPECT_TRUE(event.what != What::read && event.what != What::step && event.what != What::call &&
                event.what != What::answer && event.what != What::draw);
  }
  EXPECT_EQ(events_of(history, What::finished, "client-1").size(), 1U);
}

}  // namespace
}  // namespace lockproof::tests::run_test
