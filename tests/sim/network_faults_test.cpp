// SPDX-License-Identifier: Apache-2.0
// Faults of messages, connections, clocks and tasks. Each test pins a sentence of docs/semantics/faults.md.
#include "tests/fixtures.hpp"

namespace lockproof::sim::network_faults_test {
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

TEST(Delay, HoldsTheMessageAndAllBehindItOnItsConnection) {
  const auto h = with(
      "[workload]\nclients = 1\nlease = \"5s\"\nacquire_timeout = \"1s\"\n"
      "[network]\ntimeout = \"100ms\"\non_timeout = \"discard\"\n" +
      fault("delay", "when = \"client-1 before SET\"\nby = \"300ms\""));
  EXPECT_EQ(ms(executed(h, "redis-1", "SET", 0)), 301);
  EXPECT_EQ(ms(executed(h, "redis-1", "SET", 1)), 301);  // sent at 150 ms, behind the late one
}

TEST(Delay, OfAReplyTheCommandHasRun) {
  const auto h = with(one_client + fault("delay", "when = \"client-1 before SET\"\nlate = \"reply\"\nby = \"300ms\""));
  EXPECT_EQ(ms(executed(h, "redis-1", "SET")), 1);
  EXPECT_EQ(ms(event(h, What::receive, "client-1")), 302);
}

TEST(Resend, TheCommandRunsTwiceAndTheSecondReplyCounts) {
  const auto h = with(one_client + fault("resend", "when = \"client-1 before SET\"\nfor = \"50ms\""));
  EXPECT_EQ(executed(h, "redis-1", "SET", 0).reply, Reply::status("OK"));
  EXPECT_TRUE(executed(h, "redis-1", "SET", 1).reply->is_nil());  // refused by its own lock
  EXPECT_EQ(where(h, What::busy).size() > 0, true);
  EXPECT_EQ(ms(sent(h, "client-1", "SET", 1)), 50);
}

TEST(Resend, BehindTheTimeOutIsNoFault) {
  const auto h = with(one_client + fault("resend", "when = \"client-1 before SET\"\nfor = \"3s\""));
  EXPECT_TRUE(where(h, What::strike).empty());
  EXPECT_EQ(where(h, What::time_out, "client-1").size(), 1u);
  const check::Finding vacuous = check::exercised(
      h, tests::scenario(one_client + fault("resend", "when = \"client-1 before SET\"\nfor = \"3s\"")));
  EXPECT_EQ(vacuous.verdict, check::Verdict::violated);
  EXPECT_NE(vacuous.what.find("or the call had ended before 3s had passed"), std::string::npos) << vacuous.what;
}

TEST(Retry, TheCallGoesOnBehindItsTimeOutAndHasItsTimeAgain) {
  for (const std::string connection : {"same", "new"}) {
    SCOPED_TRACE(connection);
    const auto h =
        with(one_client + fault("retry", "when = \"client-1 before SET\"\nconnection = \"" + connection + "\""));
    EXPECT_EQ(executed(h, "redis-1", "SET", 0).reply, Reply::status("OK"));
    EXPECT_TRUE(executed(h, "redis-1", "SET", 1).reply->is_nil());  // refused by its own lock
    EXPECT_EQ(ms(sent(h, "client-1", "SET", 1)), 2000);
    EXPECT_EQ(ms(event(h, What::strike)), 2000);  // when it leaves again
    EXPECT_EQ(sent(h, "client-1", "SET", 0).command, sent(h, "client-1", "SET", 1).command);
    EXPECT_EQ(ms(event(h, What::busy)), 2002);  // one call, one answer
    EXPECT_TRUE(where(h, What::time_out).empty());
    EXPECT_EQ(where(h, What::broken).size(), connection == "new" ? 1u : 0u);
  }
}

TEST(Retry, WithNothingLostItStrikesOnlyWhereTheCallTimesOut) {
  const std::string retry = fault("retry", "when = \"client-1 before SET\"\nlose = \"nothing\"\nconnection = \"same\"");
  const auto in_time = with(one_client + retry);
  EXPECT_TRUE(where(in_time, What::strike).empty());
  const check::Finding vacuous = check::exercised(in_time, tests::scenario(one_client + retry));
  EXPECT_NE(vacuous.what.find("or its call did not time out"), std::string::npos) << vacuous.what;

  const auto late = with(one_client + retry + fault("pause", "at = \"0s\"\nfor = \"3s\"", "redis-1"));
  EXPECT_EQ(ms(executed(late, "redis-1", "SET", 0)), 3000);  // late, and both of them
  EXPECT_TRUE(executed(late, "redis-1", "SET", 1).reply->is_nil());
  EXPECT_EQ(ms(event(late, What::discard)), 3001);  // the reply to the first comes, too
  EXPECT_EQ(ms(event(late, What::busy)), 3001);
}

TEST(Retry, ASecondTimeOutEndsTheCall) {
  const auto h = with(one_client + fault("retry", "when = \"client-1 before SET\"") +
                      fault("pause", "at = \"0s\"\nfor = \"9s\"", "redis-1"));
  EXPECT_EQ(ms(event(h, What::strike, "client-1")), 2000);
  EXPECT_EQ(ms(event(h, What::time_out)), 4000);
  EXPECT_EQ(event(h, What::failed, "client-1").error, Error::no_reply);
}

TEST(Retry, ANewConnectionEndsTheOldOneAndWhatItHad) {
  const auto over = [](const std::string& connection) {
    return with(
        "[workload]\nwork = [\"hold 1s\"]\nacquire_timeout = \"10s\"\n[[client]]\nname = \"client-2\"\n"
        "start = \"3s\"\n" +
            fault("retry", "when = \"client-1 before try-advisory\"\nconnection = \"" + connection + "\""),
        "postgres-advisory");
  };
  const auto anew = over("new");
  EXPECT_EQ(ms(executed(anew, "postgres-1", "disconnect")), 2001);  // and the lock that it had is free
  EXPECT_EQ(where(anew, What::enter, "client-2").size(), 1u);
  const auto same = over("same");
  EXPECT_TRUE(where(same, What::broken).empty());
  EXPECT_TRUE(where(same, What::enter, "client-2").empty());  // locked twice, unlocked once
}

TEST(Retry, ANewConnectionOfAnEnsemblesClientIsToTheNextServer) {
  const auto h = with("[servers]\nzookeeper = 3\n[workload]\nclients = 1\nwork = [\"hold 1s\"]\n" +
                          fault("retry", "when = \"client-1 before CREATE\""),
                      "zookeeper-queue");
  EXPECT_EQ(sent(h, "client-1", "CREATE", 0).peer, h.host_named("zookeeper-1"));
  EXPECT_EQ(sent(h, "client-1", "CREATE", 1).peer, h.host_named("zookeeper-2"));
  EXPECT_EQ(where(h, What::enter, "client-1").size(), 1u);
}

TEST(Connect, AtTheFirstAttemptNothingIsLostToARestartBefore) {
  const auto over = [](const std::string& connect) {
    return with("[workload]\nclients = 1\nlease = \"5s\"\nconnect = \"" + connect +
                "\"\n[network]\nlatency = \"10ms\"\n[[step]]\nevent = \"client-1 asks\"\nat = \"105ms\"\n" +
                fault("restart", "at = \"100ms\"\nfor = \"1ms\"", "redis-1"));
  };
  const auto open = over("at-start");  // it has not noticed yet that its connection has ended
  EXPECT_EQ(ms(event(open, What::failed, "client-1")), 110);
  const auto anew = over("at-first-attempt");
  EXPECT_EQ(ms(executed(anew, "redis-1", "SET")), 115);
  EXPECT_TRUE(where(anew, What::failed).empty());
}

TEST(PoolSwitch, WhoGetsTheSessionOfTheHolderHasItsLock) {
  const auto over = [](const std::string& algorithm, const std::string& first) {
    return with(
        "[workload]\nwork = [\"hold 2s\"]\nacquire_timeout = \"10s\"\n[[client]]\nname = \"client-2\"\nstart = "
        "\"1s\"\n" +
            fault("pool-switch",
                  "peer = \"postgres-1\"\nsession = \"client-1\"\nwhen = \"client-2 before " + first + "\"",
                  "client-2"),
        algorithm);
  };
  const auto handed = over("postgres-advisory", "try-advisory");
  EXPECT_EQ(ms(event(handed, What::strike)), 1000);
  EXPECT_EQ(ms(event(handed, What::enter, "client-2")), 1002) << "while client-1 works";
  EXPECT_TRUE(where(handed, What::broken).empty());
  EXPECT_NE(event(handed, What::released, "client-1").word, "yes") << "its session has no lock";

  const auto kept = over("postgres-advisory-xact", "begin");
  EXPECT_GE(ms(event(kept, What::enter, "client-2")), 2000) << "the holder is in a transaction";
  EXPECT_EQ(where(kept, What::enter).size(), 2u);
}

TEST(BreakConnection, PendingCallsEndAtOnceAndTheNextGoOverANewConnection) {
  const auto h = with("[workload]\nclients = 1\nlease = \"5s\"\nacquire_timeout = \"10s\"\n" +
                      fault("break-connection", "at = \"500us\"\npeer = \"redis-1\""));
  const auto failed = event(h, What::failed, "client-1");
  EXPECT_EQ(failed.error, Error::no_reply);
  EXPECT_EQ(failed.at, Duration(500));
  EXPECT_EQ(where(h, What::broken, "client-1").size(), 1u);
  EXPECT_GT(where(h, What::execute, "redis-1").size(), 1u);  // what had left still ran, and the next attempts
}

TEST(BreakConnection, WhatAPauseHeldBackIsDiscardedOnWaking) {
  const auto h = with("[workload]\nlease = \"5s\"\n[[client]]\nname = \"client-2\"\nstart = \"1ms\"\n" +
                      fault("pause", "at = \"1500us\"\nfor = \"5s\"") +
                      fault("break-connection", "at = \"3ms\"\npeer = \"redis-1\""));
  const auto discarded = event(h, What::discard, "client-1");
  EXPECT_EQ(discarded.at, Duration(5'001'500));
  EXPECT_EQ(discarded.peer, h.host_named("redis-1"));  // of a connection that is gone by then
  EXPECT_EQ(discarded.reply, Reply::status("OK"));
}

TEST(BreakConnection, ByAnEventOfTheServerIsNoticedByTheClientOneWayLater) {
  const auto h = with("[workload]\nclients = 1\nlease = \"5s\"\nacquire_timeout = \"10s\"\n" +
                      fault("break-connection", "when = \"redis-1 before SET of client-1\"\npeer = \"redis-1\""));
  const auto failed = event(h, What::failed, "client-1");
  EXPECT_EQ(failed.error, Error::no_reply);
  EXPECT_EQ(failed.at, Duration(2'000));
  EXPECT_EQ(event(h, What::drop).word, "request");
  EXPECT_GT(ms(event(h, What::execute)), 2);
}

TEST(Partition, SaysWhomItCutsOffWhenItStrikesAndWhenItEnds) {
  const std::string cut = "[[fault]]\nkind = \"partition\"\ntarget = \"client-1\"\nat = \"1s\"\nfor = \"1s\"\n";
  const auto from_one = tests::run(tests::scenario(cut + "peer = \"redis-1\"\n"));
  EXPECT_EQ(event(from_one, What::strike).peer, from_one.host_named("redis-1"));
  EXPECT_EQ(event(from_one, What::heal).peer, from_one.host_named("redis-1"));
  const auto from_all = tests::run(tests::scenario(cut));
  EXPECT_EQ(event(from_all, What::strike).peer, harness::no_host);
}

TEST(Partition, HoldsMessagesBackUntilItHeals) {
  const auto h = with(one_client + fault("partition", "at = \"500us\"\npeer = \"redis-1\"\nfor = \"1s\""));
  EXPECT_EQ(ms(executed(h, "redis-1", "SET")), 1000);
  EXPECT_EQ(ms(event(h, What::receive, "client-1")), 1001);
}

TEST(Partition, CutsOneWayOnly) {
  const auto h = with(
      one_client + fault("partition", "at = \"500us\"\npeer = \"redis-1\"\nfor = \"1s\"\ndirection = \"from-peer\""));
  EXPECT_EQ(ms(executed(h, "redis-1", "SET")), 1);
  EXPECT_EQ(ms(event(h, What::receive, "client-1")), 1000);
}

TEST(Partition, FromTheResourceHoldsAccessesBack) {
  const auto h = with(one_client + fault("partition", "at = \"0s\"\npeer = \"resource\"\nfor = \"1s\""));
  EXPECT_EQ(ms(executed(h, "redis-1", "SET")), 1);
  EXPECT_EQ(ms(executed(h, "resource", "READ")), 1000);
}

TEST(ClockRate, AClientsTimersRunByItsOwnClock) {
  const auto h = with("[workload]\nclients = 1\nlease = \"30s\"\nwork = [\"hold 10s\"]\n" +
                      fault("clock-rate", "at = \"0s\"\nrate = \"-50%\""));
  EXPECT_NEAR(static_cast<double>((event(h, What::exit).at - event(h, What::enter).at).count()), 20e6, 2);
}

TEST(ClockRate, AServersLeasesRunByItsOwnClock) {
  const auto h = with("[workload]\nlease = \"10s\"\nwork = [\"hold 20s\"]\n" +
                      fault("clock-rate", "at = \"0s\"\nrate = \"+100%\"", "redis-1"));
  EXPECT_LT(ms(event(h, What::granted, "", 1)), 5'100);
  EXPECT_GT(ms(event(h, What::granted, "", 1)), 4'990);
}

TEST(ClockRate, EndsAfterItsTime) {
  const auto h = with("[workload]\nclients = 1\nlease = \"30s\"\nwork = [\"hold 10s\"]\n" +
                      fault("clock-rate", "at = \"0s\"\nrate = \"-50%\"\nfor = \"4s\""));
  EXPECT_EQ(ms(event(h, What::exit)) - ms(event(h, What::enter)), 12'000 - 1);  // the 2 ms before it were slow, too
}

TEST(KillTask, TheWorkerIsGoneAndItsWatchdogGoesOn) {
  const auto h =
      with("[workload]\nclients = 1\n[run]\nhorizon = \"60s\"\n" + fault("kill-task", "when = \"client-1 enters\""),
           "redisson");
  EXPECT_TRUE(where(h, What::exit).empty());
  EXPECT_EQ(where(h, What::renewed).size(), 5u);  // every ten seconds, to the horizon
}

TEST(KillTask, BeforeACommandTheCommandNeverLeaves) {
  const auto h = with(one_client + fault("kill-task", "when = \"client-1 before SET\""));
  EXPECT_TRUE(where(h, What::send).empty());
  EXPECT_EQ(where(h, What::strike).size(), 1u);
}

TEST(KillTask, AfterAReplyTheReplyIsDiscarded) {
  const auto h = with(one_client + fault("kill-task", "when = \"client-1 after SET\""));
  EXPECT_EQ(where(h, What::discard).size(), 1u);
  EXPECT_TRUE(where(h, What::enter).empty());
}

TEST(Watchdog, StopsBeforeTheRelease) {
  const auto h = with("[workload]\nclients = 1\nwork = [\"hold 25s\"]\n", "redisson");
  EXPECT_EQ(where(h, What::renewed).size(), 2u);
  EXPECT_EQ(event(h, What::end).word, "finished");
}

TEST(Watchdog, AnAbandonedRenewalMayRunButItsReplyIsDiscarded) {
  const auto h = with("[workload]\nclients = 1\nwork = [\"hold 10.003s\"]\n[network]\nlatency = \"5ms\"\n", "redisson");
  EXPECT_EQ(where(h, What::renew).size(), 1u);
  EXPECT_TRUE(where(h, What::renewed).empty());
  EXPECT_EQ(where(h, What::discard).size(), 1u);
}

TEST(Subscription, AMessageWakesAWaiterAndSeveralCountAsOne) {
  const auto h = with("[workload]\nwork = [\"hold 3s\"]\n", "redisson");
  const auto woken = event(h, What::push);
  EXPECT_EQ(ms(woken), ms(event(h, What::release)) + 2);
  EXPECT_EQ(where(h, What::enter).size(), 2u);
}

TEST(Subscription, AWaiterWithoutAMessageTriesAgainWhenTheLeaseEnds) {
  const auto h = with("[workload]\nwork = [\"hold 1s\"]\n" + fault("crash", "when = \"client-1 enters\"") +
                          "[[client]]\nname = \"client-2\"\nstart = \"1s\"\n",
                      "redisson");
  EXPECT_GT(where(h, What::push).front(), where(h, What::enter, "client-2").front());  // its own release
  EXPECT_GT(ms(event(h, What::enter, "client-2")), 29'990);
  EXPECT_LT(ms(event(h, What::enter, "client-2")), 30'100);
}

}  // namespace
}  // namespace lockproof::sim::network_faults_test
