// SPDX-License-Identifier: Apache-2.0
// Each test pins a sentence of docs/semantics/faults.md.
#include "tests/fixtures.hpp"

namespace lockproof::sim::faults_test {
namespace {

using harness::What;
using tests::event;
using tests::executed;
using tests::ms;
using tests::sent;
using tests::where;

harness::History with(const std::string& text, const std::string& algorithm = "set-px-token") {
  return tests::run(tests::scenario(text, algorithm));
}
const std::string one_client = "[workload]\nclients = 1\nlease = \"5s\"\nwork = [\"read\", \"hold 1s\", \"write\"]\n";

std::string fault(const std::string& kind, const std::string& rest, const std::string& target = "client-1") {
  return "[[fault]]\nkind = \"" + kind + "\"\ntarget = \"" + target + "\"\n" + rest + "\n";
}

TEST(Pause, BeforeACommandHoldsItBackAfterTheClockReadsThatLedToIt) {
  const auto h = with(one_client + fault("pause", "when = \"client-1 before SET\"\nfor = \"2s\""));
  EXPECT_EQ(ms(event(h, What::strike)), 0);
  EXPECT_EQ(ms(sent(h, "client-1", "SET")), 2000);
  EXPECT_EQ(event(h, What::granted, "client-1").left->time, seconds(5) - seconds(2) - milliseconds(2));
}

TEST(Pause, AfterAReplyArrivedItIsSeenOnWaking) {
  const auto h = with(one_client + fault("pause", "when = \"client-1 after SET\"\nfor = \"3s\""));
  EXPECT_EQ(ms(event(h, What::strike)), 2);
  EXPECT_EQ(ms(event(h, What::receive, "client-1")), 3002);
  EXPECT_EQ(ms(event(h, What::enter, "client-1")), 3002);
}

TEST(Pause, OnWakingRepliesAreSeenBeforeTimeOutsFire) {
  const auto h = with(one_client + fault("pause", "when = \"client-1 after SET\"\nfor = \"10s\"") +
                      "[network]\ntimeout = \"100ms\"\n");
  EXPECT_TRUE(where(h, What::time_out).empty());
  EXPECT_EQ(ms(event(h, What::enter, "client-1")), 10'002);
}

TEST(Pause, StopsTheWholeProcessInsideTheCriticalSectionToo) {
  const auto h = with(one_client + fault("pause", "when = \"client-1 enters\"\nfor = \"4s\""));
  EXPECT_EQ(ms(sent(h, "client-1", "READ")), 4002);
  EXPECT_EQ(ms(event(h, What::heal)), 4002);
}

TEST(Pause, LiesBetweenLeavingAndTheReleasesOwnLookAtTheClock) {
  const auto h = with("[workload]\nclients = 1\nlease = \"5s\"\nwork = [\"hold 1s\"]\n" +
                          fault("pause", "when = \"client-1 exits\"\nfor = \"9s\""),
                      "getset-timestamp");
  EXPECT_EQ(event(h, What::released, "client-1").word, "skipped");
}

TEST(Pause, PausesThatOverlapEndWithTheLastOne) {
  const auto h =
      with(one_client + fault("pause", "at = \"500ms\"\nfor = \"2s\"") + fault("pause", "at = \"1s\"\nfor = \"5s\""));
  EXPECT_EQ(ms(sent(h, "client-1", "WRITE")), 6000);
}

TEST(Pause, OfAServerHoldsRequestsBackInOrder) {
  const auto h = with("[workload]\nlease = \"5s\"\n" + fault("pause", "at = \"0s\"\nfor = \"1s\"", "redis-1"));
  EXPECT_EQ(ms(executed(h, "redis-1", "SET", 0)), 1000);
  EXPECT_EQ(ms(executed(h, "redis-1", "SET", 1)), 1000);
}

TEST(Pause, BeforeAServerRunsACommandTheCommandWaits) {
  const auto h =
      with(one_client + fault("pause", "when = \"redis-1 before SET of client-1\"\nfor = \"1s\"", "redis-1"));
  EXPECT_EQ(ms(executed(h, "redis-1", "SET")), 1001);
}

TEST(Crash, ACommandThatHadLeftStillRuns) {
  const auto h = with(one_client + fault("crash", "when = \"client-1 before READ\"\nafter = \"0s\""));
  EXPECT_EQ(where(h, What::execute, "resource").size(), 0u);  // it had not left
  const auto late = with(one_client + fault("crash", "when = \"client-1 before SET\"\nafter = \"500us\""));
  EXPECT_EQ(where(late, What::execute, "redis-1").size(), 1u);
  EXPECT_TRUE(where(late, What::receive).empty());
  EXPECT_TRUE(where(late, What::enter).empty());
}

TEST(Crash, DoesNotRelease) {
  const auto h = with(one_client + fault("crash", "when = \"client-1 enters\""));
  EXPECT_EQ(where(h, What::execute, "redis-1").size(), 1u);
}

TEST(HalfOpen, TheConnectionDiesSilentlyThereAndLaterMessagesWithIt) {
  const auto h = with(
      "[workload]\nclients = 1\nlease = \"5s\"\nacquire_timeout = \"5s\"\n"
      "[network]\ntimeout = \"100ms\"\non_timeout = \"discard\"\n" +
          fault("half-open", "when = \"client-1 before EXPIRE\""),
      "setnx-expire-del");
  EXPECT_GT(where(h, What::drop, "client-1").size(), 2u);
  EXPECT_EQ(where(h, What::execute, "redis-1").size(), 1u);  // the SETNX
}

TEST(HalfOpen, AReconnectingDriverGoesOnOnANewConnection) {
  const auto h =
      with("[workload]\nclients = 1\nlease = \"5s\"\nacquire_timeout = \"5s\"\n[network]\ntimeout = \"100ms\"\n" +
               fault("half-open", "when = \"client-1 before EXPIRE\""),
           "setnx-expire-del");
  EXPECT_EQ(where(h, What::drop, "client-1").size(), 1u);
  EXPECT_GT(where(h, What::execute, "redis-1").size(), 2u);
}

TEST(HalfOpen, OfAReplyTheCommandHasRun) {
  const auto h =
      with("[workload]\nclients = 1\nlease = \"5s\"\nacquire_timeout = \"1s\"\n[network]\ntimeout = \"100ms\"\n" +
           fault("half-open", "when = \"client-1 before SET\"\nlose = \"reply\""));
  EXPECT_EQ(event(h, What::drop).word, "reply");
  EXPECT_EQ(executed(h, "redis-1", "SET").reply, Reply::status("OK"));
  EXPECT_EQ(event(h, What::failed, "client-1").error, Error::no_reply);
}

TEST(ClockJump, OfTheServerExpiresItsKeysAtOnce) {
  const auto h =
      with("[workload]\nlease = \"30s\"\n" + fault("clock-jump", "at = \"500ms\"\nby = \"+1min\"", "redis-1"));
  EXPECT_LT(ms(event(h, What::enter, "client-2")), 600);
}

TEST(ClockJump, OfAClientMovesItsWallClockOnly) {
  const auto h = with(one_client + fault("clock-jump", "at = \"500ms\"\nby = \"-2s\""));
  const auto strike = event(h, What::strike), exit = event(h, What::exit, "client-1");
  EXPECT_EQ(exit.clocks.wall_ms - strike.clocks.wall_ms, (exit.at - strike.at).count() / 1000 - 2000);
  EXPECT_EQ(exit.clocks.mono_us - strike.clocks.mono_us, (exit.at - strike.at).count());
}

TEST(Faults, AFaultWhoseEventNeverHappensMakesTheRunVacuous) {
  const auto s = tests::scenario(fault("pause", "when = \"client-1 before GET\"\nfor = \"1s\""));
  EXPECT_EQ(tests::judged(tests::run(s), s, "exercised").verdict, check::Verdict::violated);
}

TEST(Faults, OccurrencesAreCountedWithinTheRound) {
  const auto h = with("[workload]\nclients = 1\nrounds = 3\nlease = \"5s\"\n" +
                      fault("pause", "when = \"client-1 enters round 2\"\nfor = \"1s\""));
  EXPECT_EQ(event(h, What::strike).at, event(h, What::enter, "client-1", 1).at);
}

}  // namespace
}  // namespace lockproof::sim::faults_test
