// SPDX-License-Identifier: Apache-2.0
// Trace replay: a run of the simulator, done again with real servers. That everything agrees shows something only if a
// prediction that is wrong in one place is found there.
#include "real/trace_replay/trace_replay.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "tests/fixtures.hpp"

namespace lockproof::real::trace_replay_test {
namespace {

using harness::What;
using Outcome = TraceReplay::Outcome;

harness::Scenario from_catalogue(const std::string& name) {
  return harness::load_scenario(LOCKPROOF_SOURCE "/scenarios/" + name + ".toml");
}

std::string told(const TraceReplay& done) {
  if (done.outcome == Outcome::confirmed) return "confirmed";
  if (done.outcome == Outcome::not_reproducible) return "not reproducible: " + done.reason;
  return done.divergence->what + ": predicted " + done.divergence->predicted + ", real " + done.divergence->real;
}

/// A catalogue's scenario, with a prediction that can be made wrong.
struct Prediction {
  explicit Prediction(const std::string& name) : scenario(from_catalogue(name)), history(sim::run(scenario, 1)) {}
  harness::Event& event(What what, std::string_view host, std::size_t n = 0) {
    return history.events.at(tests::where(history, what, std::string(host)).at(n));
  }
  harness::Scenario scenario;
  harness::History history;
};

TEST(TraceReplay, WhatWasPredictedHappens) {
  const Prediction p("documented/leases/lease-outlived");
  const TraceReplay done = replay_trace(p.scenario, p.history);
  EXPECT_EQ(told(done), "confirmed");
  EXPECT_EQ(done.history.events, p.history.events);
  EXPECT_EQ(tests::judged(done.history, p.scenario, "mutual-exclusion").kind, "outlived");
  EXPECT_EQ(done.commands, tests::where(p.history, What::execute).size());
  EXPECT_GT(done.effects, 0U);
  EXPECT_GT(done.leases, 0U);
}

class OfEachKind : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(
    TraceReplay, OfEachKind,
    testing::Values("notes/blind-del", "documented/leases/zombie-watchdog", "documented/network/late-set-ghost",
                    "documented/network/acquire-resend-double-count", "documented/notifications/lost-subscription",
                    "documented/replication/old-master-serves", "documented/redlock/redlock-node-clock-jump",
                    "documented/redlock/redlock-no-drift-term", "documented/servers/restart-loses-lock",
                    "documented/redlock/redlock-immediate-restart", "documented/replication/failover-lost-lock",
                    "documented/servers/evicted-lock-key", "documented/servers/flushed-lock",
                    "documented/replication/sentinel-lost-lock", "documented/notifications/missed-unlock-message",
                    "notes/setnx-del-crash", "documented/replication/min-replicas-refuses",
                    "documented/replication/sentinel-split-brain", "documented/servers/restart-keeps-lock",
                    "documented/replication/min-replicas-lost-lock"));

TEST_P(OfEachKind, IsConfirmed) {
  const Prediction p(GetParam());
  const TraceReplay done = replay_trace(p.scenario, p.history);
  EXPECT_EQ(told(done), "confirmed");
  EXPECT_EQ(done.history.events, p.history.events);
}

TEST(TraceReplay, AWrongReplyIsFound) {
  Prediction p("notes/blind-del");
  p.event(What::execute, "redis-1", 3).reply = Reply::status("OK");
  const TraceReplay done = replay_trace(p.scenario, p.history);
  ASSERT_EQ(done.outcome, Outcome::diverged);
  EXPECT_EQ(done.divergence->event, tests::where(p.history, What::execute, "redis-1").at(3));
  EXPECT_EQ(told(done), "redis-1's reply to client-2's SET: predicted OK, real nil");
}

TEST(TraceReplay, AWrongChangeOfAKeyIsFound) {
  Prediction p("notes/blind-del");
  p.event(What::execute, "redis-1").effects.pop_back();
  EXPECT_EQ(told(replay_trace(p.scenario, p.history)),
            "what became of keys at redis-1: predicted set lock, real set lock, expire lock in 5000 ms");
}

TEST(TraceReplay, ATimeToLiveThatIsOneMillisecondOffIsFound) {
  Prediction p("notes/blind-del");
  *p.event(What::execute, "redis-1").effects.back().ttl -= milliseconds(1);
  EXPECT_EQ(told(replay_trace(p.scenario, p.history)),
            "what became of keys at redis-1: predicted set lock, expire lock in 4999 ms, real set lock, expire lock in "
            "5000 ms");
}

TEST(TraceReplay, AClockThatWasPredictedWrongIsFound) {
  Prediction p("documented/leases/lease-outlived");
  for (const std::size_t i : tests::where(p.history, What::execute, "redis-1")) {
    harness::Event& event = p.history.events[i];
    if (event.effects.size() == 3) event.clocks.wall_ms -= 49;  // when the key expired: now it has not yet
  }
  EXPECT_EQ(told(replay_trace(p.scenario, p.history)), "redis-1's reply to client-2's SET: predicted OK, real nil");
}

TEST(TraceReplay, AClientThatDoesSomethingElseIsFound) {
  Prediction p("notes/blind-del");
  p.event(What::enter, "client-2").round = 7;
  const TraceReplay done = replay_trace(p.scenario, p.history);
  ASSERT_EQ(done.outcome, Outcome::diverged);
  EXPECT_EQ(done.divergence->what, "what client-2 does");
  EXPECT_EQ(done.divergence->event, tests::where(p.history, What::enter, "client-2").front());
}

TEST(TraceReplay, AReplyThatIsHandedOverIsTheRealOne) {
  Prediction p("notes/blind-del");
  p.event(What::receive, "client-2").reply = Reply::status("OK");
  EXPECT_EQ(told(replay_trace(p.scenario, p.history)), "redis-1's reply to client-2: predicted OK, real nil");
}

TEST(TraceReplay, AWrongCommandToAReplicaIsFound) {
  Prediction p("documented/replication/failover-lost-lock-twin");
  harness::Event& event = p.event(What::replicate, "redis-2");
  event.command = Command({"SET", "lock", "somebody"});
  const TraceReplay done = replay_trace(p.scenario, p.history);
  ASSERT_EQ(done.outcome, Outcome::diverged);
  EXPECT_EQ(done.divergence->what, "what redis-1 tells redis-2");
  EXPECT_EQ(done.divergence->predicted, "SET lock somebody");
}

TEST(TraceReplay, AMessageThatNobodySentIsFound) {
  Prediction p("documented/notifications/missed-unlock-message-twin");
  harness::Event& event = p.history.events.at(tests::where(p.history, What::push).front());
  event.word = "another channel";
  const TraceReplay done = replay_trace(p.scenario, p.history);
  ASSERT_EQ(done.outcome, Outcome::diverged);
  EXPECT_EQ(done.divergence->predicted, "another channel");
}

TEST(TraceReplay, WhatItCannotDoItSays) {
  Prediction p("documented/replication/min-replicas-refuses");
  const Duration lag = std::exchange(p.scenario.servers.front().min_replicas_max_lag, milliseconds(1'500));
  EXPECT_EQ(told(replay_trace(p.scenario, p.history)),
            "not reproducible: redis-server counts how long it has not heard a replica in whole seconds");
  p.scenario.servers.front().min_replicas_max_lag = lag;
  p.scenario.faults.push_back({.kind = harness::FaultKind::clock_rate, .target = "redis-1"});
  EXPECT_EQ(told(replay_trace(p.scenario, p.history)),
            "not reproducible: redis-1 counts its replicas by a clock that runs at another rate");
}

TEST(TraceReplay, ComesOutTheSameEachTime) {
  const Prediction p("documented/redlock/redlock-no-drift-term");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(told(replay_trace(p.scenario, p.history)), "confirmed");
}

}  // namespace
}  // namespace lockproof::real::trace_replay_test
