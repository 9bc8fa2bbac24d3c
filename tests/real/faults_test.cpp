// SPDX-License-Identifier: Apache-2.0
// Faults of hosts on real servers: clocks that run at another rate, servers that end and start again or lose their
// keys, and a client's worker that dies alone.
#include <gtest/gtest.h>

#include <algorithm>

#include "real/run/run.hpp"
#include "real/services/redis/redis_host.hpp"
#include "tests/real/scenarios.hpp"

namespace lockproof::tests::faults_test {
namespace {

using harness::Event;
using harness::EventPlace;
using harness::FaultKind;
using harness::Persistence;
using harness::What;

/// The first client holds the lock for some seconds under a long lease, the second asks meanwhile.
harness::Scenario holder_and_rival(Duration hold, milliseconds lease = milliseconds(20'000)) {
  harness::Scenario scenario = two_clients("set-px-token");
  for (auto& client : scenario.clients) client.plan.lease = lease;
  scenario.clients[0].plan.work[0].lasts = hold;
  return scenario;
}

bool rival_overlapped(const harness::History& history) {
  const auto entered = events_of(history, What::enter, "client-2");
  return !entered.empty() && entered[0].others == 1;
}

TEST(ClockRate, AFastServerEndsLeasesEarly) {
  auto scenario = holder_and_rival(seconds(4), milliseconds(5'000));
  scenario.faults.push_back(fault_at_event(FaultKind::clock_rate, "redis-1", "client-1", EventPlace::Moment::enters));
  scenario.faults[0].rate_ppb = 1'000'000'000;
  scenario.faults[0].lasts = seconds(6);
  scenario.clients[1].plan.work[0].lasts = seconds(6);
  const auto history = real::run(scenario, {});
  EXPECT_TRUE(rival_overlapped(history));
  const auto strike = events_of(history, What::strike, "redis-1").at(0);
  const auto heal = events_of(history, What::heal, "redis-1").at(0);
  EXPECT_EQ(strike.value, 1'000'000'000);
  const Duration entered = events_of(history, What::enter, "client-2").at(0).at - strike.at;
  EXPECT_GT(entered, milliseconds(2'300));
  EXPECT_LT(entered, milliseconds(3'300));
  const std::int64_t passed = heal.clocks.mono_us - strike.clocks.mono_us;
  EXPECT_NEAR(static_cast<double>(passed), 2 * static_cast<double>((heal.at - strike.at).count()), 5'000);
  EXPECT_NEAR(static_cast<double>((heal.clocks.wall_ms - strike.clocks.wall_ms) * 1000), static_cast<double>(passed),
              20'000);
}

TEST(ClockRate, ASlowClientHoldsLongerByItsOwnTimers) {
  auto scenario = holder_and_rival(seconds(2));
  harness::Fault slow;
  slow.kind = FaultKind::clock_rate;
  slow.target = "client-1";
  slow.at = milliseconds(500);  // in the middle of the hold
  slow.rate_ppb = -500'000'000;
  scenario.faults.push_back(slow);
  const auto history = real::run(scenario, {});
  const auto enter = events_of(history, What::enter, "client-1").at(0);
  const auto exit = events_of(history, What::exit, "client-1").at(0);
  EXPECT_GE(exit.clocks.mono_us - enter.clocks.mono_us, 2'000'000);
  EXPECT_LT(exit.clocks.mono_us - enter.clocks.mono_us, 2'300'000);
  EXPECT_GT(exit.at - enter.at, milliseconds(3'300));
  EXPECT_TRUE(events_of(history, What::heal, "client-1").empty()) << "it lasts to the end";
}

TEST(ClockRate, AFastClientsTimersComeEarly) {
  auto scenario = holder_and_rival(seconds(4));
  harness::Fault fast;
  fast.kind = FaultKind::clock_rate;
  fast.target = "client-1";
  fast.at = milliseconds(500);
  fast.rate_ppb = 1'000'000'000;
  fast.lasts = seconds(1);
  scenario.faults.push_back(fast);
  const auto history = real::run(scenario, {});
  const Duration held =
      events_of(history, What::exit, "client-1").at(0).at - events_of(history, What::enter, "client-1").at(0).at;
  EXPECT_GT(held, milliseconds(2'700));
  EXPECT_LT(held, milliseconds(3'600));
  EXPECT_EQ(events_of(history, What::heal, "client-1").size(), 1U);
}

TEST(ClockRate, AServerWhoseClocksStandStillEndsNoLease) {
  auto scenario = holder_and_rival(seconds(5), milliseconds(3'000));
  scenario.faults.push_back(fault_at_event(FaultKind::clock_rate, "redis-1", "client-1", EventPlace::Moment::enters));
  scenario.faults[0].rate_ppb = -1'000'000'000;
  scenario.faults[0].lasts = seconds(4);
  const auto history = real::run(scenario, {});
  EXPECT_FALSE(rival_overlapped(history)) << "its lease of 3 s ends after 7 s";
  EXPECT_EQ(events_of(history, What::released, "client-1").at(0).word, "yes");
  const auto strike = events_of(history, What::strike, "redis-1").at(0);
  const auto heal = events_of(history, What::heal, "redis-1").at(0);
  EXPECT_LE(heal.clocks.wall_ms - strike.clocks.wall_ms, 50);
  for (const Event& event : events_of(history, What::execute, "redis-1")) {
    const bool stood = event.at > strike.at && event.at < heal.at;
    EXPECT_TRUE(!stood || event.clocks.wall_ms - strike.clocks.wall_ms <= 50);
  }
  expect_causality(history);
}

TEST(ClockRate, AClientWhoseClocksStandStillDoesNothingByTime) {
  auto scenario = holder_and_rival(seconds(2));
  harness::Fault still;
  still.kind = FaultKind::clock_rate;
  still.target = "client-1";
  still.at = milliseconds(500);  // in the middle of the hold
  still.rate_ppb = -1'000'000'000;
  still.lasts = seconds(3);
  scenario.faults.push_back(still);
  const auto history = real::run(scenario, {});
  const auto enter = events_of(history, What::enter, "client-1").at(0);
  const auto exit = events_of(history, What::exit, "client-1").at(0);
  EXPECT_GT(exit.at - enter.at, milliseconds(4'900));
  EXPECT_LT(exit.at - enter.at, milliseconds(6'000));
  EXPECT_GE(exit.clocks.mono_us - enter.clocks.mono_us, 2'000'000);
  EXPECT_LT(exit.clocks.mono_us - enter.clocks.mono_us, 2'300'000);
}

harness::Fault suspension(Duration lasts) {
  harness::Fault fault;
  fault.kind = FaultKind::suspend;
  fault.target = "client-1";
  fault.lasts = lasts;
  return fault;
}

/// Of two seconds, counted by a clock that stood for three.
void expect_held_with_a_suspension(const harness::History& history) {
  const auto enter = events_of(history, What::enter, "client-1").at(0);
  const auto exit = events_of(history, What::exit, "client-1").at(0);
  EXPECT_GT(exit.at - enter.at, milliseconds(4'900));
  EXPECT_LT(exit.at - enter.at, milliseconds(6'000));
  EXPECT_GE(exit.clocks.mono_us - enter.clocks.mono_us, 2'000'000);
  EXPECT_LT(exit.clocks.mono_us - enter.clocks.mono_us, 2'400'000);
  EXPECT_GT(exit.clocks.boot_us - enter.clocks.boot_us, 4'900'000);
  EXPECT_GT(exit.clocks.wall_ms - enter.clocks.wall_ms, 4'900);
  const auto strike = events_of(history, What::strike, "client-1").at(0);
  const auto heal = events_of(history, What::heal, "client-1").at(0);
  EXPECT_LT(heal.clocks.mono_us - strike.clocks.mono_us, 200'000);
  EXPECT_GT(heal.clocks.boot_us - strike.clocks.boot_us, 2'900'000);
}

TEST(Suspend, AClientThatIsStoppedFromOutsideHasItsTimersMoved) {
  auto scenario = holder_and_rival(seconds(2));
  scenario.faults.push_back(suspension(seconds(3)));
  scenario.faults[0].at = milliseconds(500);  // in the middle of the hold
  expect_held_with_a_suspension(real::run(scenario, {}));
}

TEST(Suspend, AClientThatStopsItselfHasItsClockSetBehind) {
  auto scenario = holder_and_rival(seconds(2));
  scenario.faults.push_back(fault_at_event(FaultKind::suspend, "client-1", "client-1", EventPlace::Moment::enters));
  scenario.faults[0].lasts = seconds(3);
  expect_held_with_a_suspension(real::run(scenario, {}));
}

struct Down {
  FaultKind kind;
  Persistence persistence;
  Duration after;  // the entry
  bool keeps;
};

class ServerDown : public testing::TestWithParam<Down> {};

TEST_P(ServerDown, KeepsWhatItsPersistenceKeeps) {
  const Down& down = GetParam();
  auto scenario = holder_and_rival(seconds(6));
  scenario.servers[0].persistence = down.persistence;
  scenario.faults.push_back(fault_at_event(down.kind, "redis-1", "client-1", EventPlace::Moment::enters));
  scenario.faults[0].delay = down.after;
  scenario.faults[0].lasts = seconds(1);
  const auto history = real::run(scenario, {});
  EXPECT_EQ(rival_overlapped(history), !down.keeps);
  const auto strikes = events_of(history, What::strike, "redis-1");
  const auto heals = events_of(history, What::heal, "redis-1");
  ASSERT_EQ(strikes.size(), 1U);
  ASSERT_EQ(heals.size(), 1U);
  EXPECT_GE(heals[0].at - strikes[0].at, seconds(1));
  for (const Event& event : events_of(history, What::execute, "redis-1")) {
    EXPECT_FALSE(event.at > strikes[0].at && event.at < heals[0].at) << "it ran a command while it was down";
  }
  EXPECT_EQ(events_of(history, What::finished, "client-1").size(), 1U);
  EXPECT_FALSE(events_of(history, What::broken, "client-1").empty());
  expect_causality(history);
}

INSTANTIATE_TEST_SUITE_P(
    All, ServerDown,
    testing::Values(Down{FaultKind::restart, Persistence::none, {}, false},
                    Down{FaultKind::restart, Persistence::rdb, {}, true},
                    Down{FaultKind::restart, Persistence::aof_everysec, {}, true},
                    Down{FaultKind::power_cut, Persistence::none, {}, false},
                    Down{FaultKind::power_cut, Persistence::rdb, seconds(2), false},
                    Down{FaultKind::power_cut, Persistence::aof_everysec, milliseconds(500), false},
                    Down{FaultKind::power_cut, Persistence::aof_everysec, milliseconds(2'500), true},
                    Down{FaultKind::power_cut, Persistence::aof_always, {}, true}));

TEST(ServerDown, WhoConnectsMeanwhileIsRefusedForSure) {
  auto scenario = holder_and_rival(seconds(4));
  scenario.servers[0].persistence = Persistence::aof_always;
  scenario.faults.push_back(fault_at_event(FaultKind::restart, "redis-1", "client-1", EventPlace::Moment::enters));
  scenario.faults[0].lasts = seconds(2);
  const auto history = real::run(scenario, {});
  EXPECT_FALSE(events_of(history, What::refused, "client-2").empty());
  const auto failed = events_of(history, What::failed, "client-2");
  ASSERT_FALSE(failed.empty());
  EXPECT_EQ(failed.back().error, Error::not_sent);
}

TEST(Eviction, FreesTheLockAndIsWrittenWhereTheServerRanIt) {
  for (const FaultKind kind : {FaultKind::evict, FaultKind::flush}) {
    auto scenario = holder_and_rival(seconds(2));
    scenario.faults.push_back(fault_at_event(kind, "redis-1", "client-1", EventPlace::Moment::enters));
    const auto history = real::run(scenario, {});
    EXPECT_TRUE(rival_overlapped(history));
    const auto strikes = events_of(history, What::strike, "redis-1");
    ASSERT_EQ(strikes.size(), 1U);
    ASSERT_EQ(strikes[0].effects.size(), 1U);
    EXPECT_EQ(strikes[0].effects[0].event, kind == FaultKind::evict ? "evicted" : "del");
    EXPECT_EQ(strikes[0].effects[0].key, "lock");
    const auto executed = events_of(history, What::execute, "redis-1");
    EXPECT_LT(executed.at(0).at, strikes[0].at);
    expect_causality(history);
  }
}

TEST(ClientPause, KeepsWritesWaitingForAsLongAsItSays) {
  auto scenario = holder_and_rival(seconds(8));
  harness::Fault pause = fault_at_event(FaultKind::client_pause, "redis-1", "client-1", EventPlace::Moment::enters);
  pause.lasts = seconds(2);
  scenario.faults.push_back(pause);
  const auto history = real::run(scenario, {});
  const auto strike = events_of(history, What::strike, "redis-1").at(0);
  const auto executed = events_of(history, What::execute, "redis-1");
  const auto first = std::ranges::find(executed, history.host_named("client-2"), &Event::peer);
  ASSERT_NE(first, executed.end());
  EXPECT_GE(first->at, strike.at + seconds(2) - milliseconds(10));
  expect_causality(history);
}

TEST(ScriptFlush, TakesNoKeys) {
  auto scenario = holder_and_rival(seconds(2));
  scenario.faults.push_back(fault_at_event(FaultKind::script_flush, "redis-1", "client-1", EventPlace::Moment::enters));
  const auto history = real::run(scenario, {});
  EXPECT_FALSE(rival_overlapped(history));
  EXPECT_EQ(events_of(history, What::strike, "redis-1").size(), 1U);
}

TEST(Eviction, TakesNoOtherKey) {
  real::Janitor janitor;
  const harness::ServerSpec spec{"redis-1", {}};
  real::RedisHost host(spec, janitor, 1, {});
  host.await_ready();
  const auto ask = [&](const std::vector<std::string>& words) { return host.process().ask(words).value(); };
  const auto evictions = [&] {
    const std::string stats = ask({"INFO", "stats"}).value().bytes();
    const std::string_view name = "evicted_keys:";
    return std::stoi(stats.substr(stats.find(name) + name.size()));
  };
  const auto expect_evicted = [&](int in_all) {
    host.evict("lock", "mark");
    EXPECT_EQ(ask({"EXISTS", "lock"}).integer(), 0);
    EXPECT_EQ(evictions(), in_all);
    EXPECT_EQ(ask({"SET", "more", "memory", "XX"}).kind(), Reply::Kind::nil) << "there is memory again";
  };
  ask({"SET", "lock", "token"});
  expect_evicted(1);
  ask({"SET", "lock", "token", "PX", "60000"});
  ask({"SET", "counter", "7"});
  expect_evicted(2);
  EXPECT_EQ(ask({"GET", "counter"}).value().bytes(), "7");
  expect_evicted(2);  // it was not there
  ask({"SET", "lock", "token", "PX", "60000"});
  ask({"SET", "other", "token", "PX", "60000"});
  expect_evicted(2);  // deleted: evicting would take the other one too
  EXPECT_EQ(ask({"DBSIZE"}).integer(), 2);
}

TEST(Eviction, StrikesAServerThatStandsStill) {
  auto scenario = holder_and_rival(seconds(3));
  auto pause = fault_at_event(FaultKind::pause, "redis-1", "client-1", EventPlace::Moment::enters);
  pause.delay = milliseconds(300);
  pause.lasts = seconds(1);
  auto evict = fault_at_event(FaultKind::evict, "redis-1", "client-1", EventPlace::Moment::enters);
  evict.delay = milliseconds(800);
  scenario.faults = {pause, evict};
  const auto history = real::run(scenario, {});
  EXPECT_TRUE(rival_overlapped(history));
  EXPECT_EQ(events_of(history, What::strike, "redis-1").size(), 2U);
}

TEST(KillTask, TheWorkerIsGoneAndItsWatchdogRenewsOn) {
  auto scenario = two_clients("redisson");
  for (auto& client : scenario.clients) client.plan.lease.reset();
  scenario.parameters["watchdog_timeout"] = seconds(3);
  scenario.clients[1].plan.acquire_timeout = seconds(8);
  scenario.horizon = seconds(12);
  scenario.faults.push_back(fault_at_event(FaultKind::kill_task, "client-1", "client-1", EventPlace::Moment::enters));
  const auto history = real::run(scenario, {});
  EXPECT_EQ(events_of(history, What::strike, "client-1").size(), 1U);
  EXPECT_TRUE(events_of(history, What::exit, "client-1").empty());
  EXPECT_GE(events_of(history, What::renewed, "client-1").size(), 3U);
  EXPECT_TRUE(events_of(history, What::enter, "client-2").empty());
  EXPECT_EQ(events_of(history, What::gave_up, "client-2").size(), 1U);
}

TEST(KillTask, BeforeACommandLeavesItDoesNotLeave) {
  auto scenario = two_clients("setnx-expire-del");
  scenario.clients[1].plan.acquire_timeout = seconds(3);
  scenario.faults.push_back(
      fault_at_event(FaultKind::kill_task, "client-1", "client-1", EventPlace::Moment::before, "EXPIRE"));
  const auto history = real::run(scenario, {});
  EXPECT_EQ(events_of(history, What::send, "client-1").size(), 1U);
  EXPECT_EQ(events_of(history, What::strike, "client-1").size(), 1U);
  EXPECT_EQ(history.events.back().word, "finished");
  expect_causality(history);
}

TEST(KillTask, AfterAReplyNobodySeesIt) {
  auto scenario = two_clients("set-px-token");
  scenario.faults.push_back(
      fault_at_event(FaultKind::kill_task, "client-1", "client-1", EventPlace::Moment::after, "SET"));
  const auto history = real::run(scenario, {});
  EXPECT_TRUE(events_of(history, What::granted, "client-1").empty());
  EXPECT_EQ(events_of(history, What::discard, "client-1").size(), 1U);
}

TEST(KillTask, ByTimeStrikesWhereverTheWorkerIs) {
  auto scenario = holder_and_rival(seconds(5));
  harness::Fault kill;
  kill.kind = FaultKind::kill_task;
  kill.target = "client-1";
  kill.at = seconds(1);
  scenario.faults.push_back(kill);
  scenario.clients[1].plan.acquire_timeout = seconds(3);
  const auto history = real::run(scenario, {});
  const auto strikes = events_of(history, What::strike, "client-1");
  ASSERT_EQ(strikes.size(), 1U);
  EXPECT_GE(strikes[0].at, seconds(1));
  EXPECT_TRUE(events_of(history, What::exit, "client-1").empty());
}

}  // namespace
}  // namespace lockproof::tests::faults_test
