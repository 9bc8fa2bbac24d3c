// SPDX-License-Identifier: Apache-2.0
// Faults of servers: restarts, replication, promotion, eviction. Each test pins a sentence of docs/semantics/faults.md.
#include "tests/fixtures.hpp"

namespace lockproof::sim::server_faults_test {
namespace {

using harness::What;
using tests::event;
using tests::executed;
using tests::ms;
using tests::where;

harness::History with(const std::string& text, const std::string& algorithm = "set-px-token") {
  return tests::run(tests::scenario(text, algorithm));
}
std::string fault(const std::string& kind, const std::string& rest, const std::string& target = "redis-1") {
  return "[[fault]]\nkind = \"" + kind + "\"\ntarget = \"" + target + "\"\n" + rest + "\n";
}
const std::string hold =
    "[workload]\nlease = \"20s\"\nwork = [\"hold 8s\"]\n[[client]]\nname = \"client-2\"\nstart = \"1s\"\n";

/// When client-2 enters, if the server goes down at 3 s for 100 ms, with this persistence.
std::int64_t rival_enters(const std::string& kind, const std::string& persistence, const std::string& at = "3s") {
  const auto h = with(hold + "[[server]]\nname = \"redis-1\"\npersistence = \"" + persistence + "\"\n" +
                      fault(kind, "at = \"" + at + "\"\nfor = \"100ms\""));
  return ms(event(h, What::enter, "client-2"));
}

TEST(Restart, KeepsWhatItsPersistenceKeeps) {
  EXPECT_LT(rival_enters("restart", "none"), 4'000);
  EXPECT_GT(rival_enters("restart", "rdb"), 8'000);
  EXPECT_GT(rival_enters("restart", "aof-everysec"), 8'000);
  EXPECT_GT(rival_enters("restart", "aof-always"), 8'000);
}

TEST(PowerCut, LosesWhatWasNotFlushed) {
  EXPECT_LT(rival_enters("power-cut", "none"), 4'000);
  EXPECT_LT(rival_enters("power-cut", "rdb"), 4'000);
  EXPECT_GT(rival_enters("power-cut", "aof-everysec"), 8'000);  // the lock is three seconds old
  EXPECT_LT(rival_enters("power-cut", "aof-everysec", "500ms"), 2'000);
  EXPECT_GT(rival_enters("power-cut", "aof-always"), 8'000);
}

TEST(PowerCut, FindsTheSnapshotOfAnEarlierOrderlyEnd) {
  const auto h =
      with(hold + "[[server]]\nname = \"redis-1\"\npersistence = \"rdb\"\n" +
           fault("restart", "at = \"2s\"\nfor = \"100ms\"") + fault("power-cut", "at = \"4s\"\nfor = \"100ms\""));
  EXPECT_GT(ms(event(h, What::enter, "client-2")), 8'000);
}

TEST(PowerCut, OfEverySecondKnowsWhatAnEarlierRestartHadKept) {
  const auto h =
      with(hold + "[[server]]\nname = \"redis-1\"\npersistence = \"aof-everysec\"\n" +
           fault("restart", "at = \"2s\"\nfor = \"100ms\"") + fault("power-cut", "at = \"4s\"\nfor = \"100ms\""));
  EXPECT_GT(ms(event(h, What::enter, "client-2")), 8'000);
}

TEST(PowerCut, DoesNotBringBackWhatWasEvicted) {
  const std::string rival =
      "[workload]\nlease = \"20s\"\nwork = [\"hold 8s\"]\n[[client]]\nname = \"client-2\"\n"
      "start = \"4500ms\"\n[[server]]\nname = \"redis-1\"\npersistence = \"aof-everysec\"\n";
  for (const std::string kind : {"evict", "flush"}) {
    const auto h = with(rival + fault(kind, "at = \"2s\"") + fault("power-cut", "at = \"4s\"\nfor = \"100ms\""));
    EXPECT_LT(ms(event(h, What::enter, "client-2")), 5'000) << kind;
  }
}

TEST(Restart, WhileAServerIsDownConnectionsAreRefusedWhichIsDefinite) {
  const auto h =
      with("[workload]\nclients = 1\nacquire_timeout = \"10s\"\n" + fault("restart", "at = \"0s\"\nfor = \"1s\""));
  EXPECT_EQ(event(h, What::failed, "", 1).error, Error::not_sent);
  EXPECT_FALSE(where(h, What::refused).empty());
  EXPECT_GT(ms(event(h, What::enter)), 1'000);
}

TEST(Restart, IsNoticedOneWayLaterAndEndsPendingCallsWithoutAReply) {
  const auto h =
      with("[workload]\nclients = 1\nacquire_timeout = \"10s\"\n" + fault("restart", "at = \"500us\"\nfor = \"1s\""));
  EXPECT_EQ(event(h, What::failed).error, Error::no_reply);
  EXPECT_EQ(event(h, What::failed).at, Duration(1500));
}

TEST(Restart, OfTheDeadNobodyLearnsOfIt) {
  const auto h = with(hold + fault("crash", "at = \"3s\"", "client-1") +
                      fault("restart", "at = \"30s\"\nfor = \"1s\"") + "[run]\nhorizon = \"40s\"\n");
  EXPECT_TRUE(where(h, What::broken, "client-1").empty());
  EXPECT_EQ(where(h, What::strike).size(), 2u);
}

TEST(Restart, IsNothingToAClientThatHasNotBegun) {
  const auto h = with("[workload]\n[[client]]\nname = \"client-2\"\nstart = \"5s\"\n" +
                      fault("restart", "at = \"3s\"\nfor = \"1s\""));
  EXPECT_TRUE(where(h, What::broken, "client-2").empty());
  EXPECT_FALSE(where(h, What::enter, "client-2").empty());
}

TEST(Restart, AnswersThatHadLeftStillArrive) {
  const auto h =
      with("[workload]\nclients = 1\nacquire_timeout = \"10s\"\n" + fault("restart", "at = \"1500us\"\nfor = \"1s\""));
  EXPECT_EQ(ms(event(h, What::enter)), 2);
  EXPECT_EQ(ms(event(h, What::broken)), 2);
}

TEST(Restart, WhoseEventComesBeforeACommandLosesIt) {
  const auto h = with("[workload]\nclients = 1\nacquire_timeout = \"10s\"\n" +
                      fault("restart", "when = \"redis-1 before SET of client-1\"\nfor = \"1s\""));
  EXPECT_EQ(event(h, What::failed).error, Error::no_reply);
  EXPECT_GT(ms(event(h, What::execute)), 1'000);
}

TEST(Restart, WhatIsSentBeforeTheClientHasNoticedIsLost) {
  const auto h =
      with("[workload]\nclients = 1\nwork = [\"hold 1s\"]\n" + fault("restart", "at = \"1001500us\"\nfor = \"400us\""));
  EXPECT_EQ(event(h, What::drop).word, "request");
  EXPECT_EQ(event(h, What::drop).at, Duration(1'002'000));
  EXPECT_EQ(event(h, What::broken).at, Duration(1'002'500));
}

TEST(Restart, OfAServerThatIsDownDoesNotHappen) {
  const std::string twice = fault("restart", "at = \"3s\"\nfor = \"2s\"");
  for (const std::string kind : {"restart", "power-cut", "pause"}) {
    const auto h = with(hold + "[[server]]\nname = \"redis-1\"\npersistence = \"aof-everysec\"\n" + twice +
                        fault(kind, "at = \"4s\"\nfor = \"3s\""));
    EXPECT_EQ(where(h, What::strike).size(), 1u) << kind;
    EXPECT_EQ(where(h, What::heal).size(), 1u) << kind;
    EXPECT_GT(ms(event(h, What::enter, "client-2")), 8'000) << kind;  // what was on disk stays there
  }
  for (const std::string kind : {"evict", "flush"}) {
    const auto h = with(hold + "[[server]]\nname = \"redis-1\"\npersistence = \"aof-always\"\n" + twice +
                        fault(kind, "at = \"4s\""));
    EXPECT_EQ(where(h, What::strike).size(), 1u) << kind;
    EXPECT_GT(ms(event(h, What::enter, "client-2")), 8'000) << kind;
  }
}

TEST(Restart, ASnapshotIsReadWithoutWhatHasExpiredALogIsNot) {
  const auto seen = [](const std::string& persistence) {
    const auto h = with(
        "[workload]\nlease = \"5s\"\nwork = [\"hold 1s\"]\n[[client]]\nname = \"client-1\"\n"
        "[[client]]\nname = \"client-2\"\nstart = \"11s\"\n[[server]]\nname = \"redis-1\"\npersistence = \"" +
        persistence + "\"\n" + fault("crash", "when = \"client-1 enters\"", "client-1") +
        fault("restart", "at = \"3s\"\nfor = \"7s\""));
    return executed(h, "redis-1", "SET", 1).effects.front().event;
  };
  EXPECT_EQ(seen("rdb"), "set");
  EXPECT_EQ(seen("aof-always"), "expired");
}

const std::string pair = hold + "[servers]\nredis = 2\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n";

TEST(Replication, AReplicaRunsAMastersWritesLaterAndClientsDoNotSeeIt) {
  const auto h = with(pair + "[network]\nreplication = \"7ms\"\n");
  EXPECT_EQ(ms(event(h, What::replicate, "redis-2")), 1 + 7);
  EXPECT_TRUE(where(h, What::execute, "redis-2").empty());
}

TEST(Failover, KeepsWhatTheReplicaHasApplied) {
  const auto h = with(pair + fault("failover", "at = \"3s\"\nto = \"redis-2\""));
  EXPECT_GT(ms(event(h, What::enter, "client-2")), 8'000);
  EXPECT_FALSE(where(h, What::execute, "redis-2").empty());
}

TEST(Failover, LosesWhatTheReplicaHasNot) {
  const auto h = with(pair + fault("replication-stall", "at = \"0s\"\nfor = \"10s\"", "redis-2") +
                      fault("failover", "at = \"3s\"\nto = \"redis-2\""));
  EXPECT_LT(ms(event(h, What::enter, "client-2")), 3'200);
}

TEST(Failover, OfAMasterThatIsDownKeepsItDownForGood) {
  const auto h = with(pair + fault("restart", "at = \"3s\"\nfor = \"1s\"") +
                      fault("failover", "at = \"3500ms\"\nto = \"redis-2\""));
  EXPECT_TRUE(where(h, What::heal).empty());
}

TEST(Failover, AnOldMasterThatServesKeepsWhoDoesNotKnow) {
  const auto h =
      with(pair + fault("failover", "at = \"3s\"\nto = \"redis-2\"\nold = \"serves\"\nnotified = [\"client-2\"]"));
  const auto release = executed(h, "redis-1", "compare-and-delete");
  EXPECT_EQ(release.peer, h.host_named("client-1"));
  EXPECT_EQ(release.reply, Reply::integer(1));
  EXPECT_EQ(executed(h, "redis-2", "SET").peer, h.host_named("client-2"));
}

TEST(Evict, RemovesTheLocksKeyAndSaysSo) {
  const auto h = with(hold + fault("evict", "at = \"3s\""));
  ASSERT_EQ(event(h, What::strike).effects.size(), 1u);
  EXPECT_EQ(event(h, What::strike).effects.front().key, "lock");
  EXPECT_LT(ms(event(h, What::enter, "client-2")), 3'200);
}

TEST(Evict, RightAfterACommandReachesReplicasBehindIt) {
  for (const std::string kind : {"evict", "flush"}) {
    const auto h = with(pair + fault(kind, "when = \"redis-1 after SET of client-1\""));
    const auto applied = where(h, What::replicate, "redis-2");
    ASSERT_GE(applied.size(), 2u);
    EXPECT_EQ(h.events[applied[0]].command->verb(), "SET");
    EXPECT_EQ(h.events[applied[1]].command->verb(), kind == "evict" ? "DEL" : "FLUSHALL");
  }
}

TEST(Flush, RemovesEverything) {
  EXPECT_LT(ms(event(with(hold + fault("flush", "at = \"3s\"")), What::enter, "client-2")), 3'200);
}

/// When the server runs client-2's first command, which arrives at 1.001 s, if it is told to pause at 500 ms for 3 s.
std::int64_t first_run(const std::string& algorithm, const std::string& mode) {
  const auto h =
      tests::run(tests::scenario(hold + fault("client-pause", "at = \"500ms\"\nfor = \"3s\"\n" + mode), algorithm));
  for (const auto& e : h.events) {
    if (e.what == What::execute && h.host_name(e.peer) == "client-2") return ms(e);
  }
  return 0;
}

TEST(ClientPause, KeepsWritesWaitingUntilTheServersClockHasPassedItsEnd) {
  EXPECT_EQ(first_run("set-px-token", ""), 3'501);
  EXPECT_EQ(first_run("fenced-token", ""), 3'501);  // a script may write
}

TEST(ClientPause, LetsReadsPassUnlessItIsOfAll) {
  // Who waits for the lock that somebody holds reads its stamp first.
  const std::string held =
      "[workload]\nlease = \"20s\"\nwork = [\"hold 8s\"]\n[network]\ntimeout = \"10s\"\n"
      "[[client]]\nname = \"client-2\"\nstart = \"400ms\"\nacquire_timeout = \"0s\"\n";
  const auto got = [&](const std::string& mode) {
    const auto h = tests::run(tests::scenario(
        held + fault("client-pause", "when = \"redis-1 after SETNX of client-2\"\nfor = \"3s\"\n" + mode),
        "getset-timestamp"));
    for (const auto& e : h.events) {
      if (e.what == What::execute && h.host_name(e.peer) == "client-2" && e.command->verb() == "GET") return ms(e);
    }
    return std::int64_t{0};
  };
  EXPECT_LT(got(""), 1'000);
  EXPECT_GT(got("mode = \"all\""), 3'400);
}

TEST(ScriptFlush, LeavesTheKeysAlone) {
  EXPECT_GT(ms(event(with(hold + fault("script-flush", "at = \"3s\"")), What::enter, "client-2")), 8'000);
}

TEST(PowerCut, WithAnFsyncInFlightLosesMore) {
  const auto rival = [](const std::string& unsynced) {
    const auto h = with(hold + "[[server]]\nname = \"redis-1\"\npersistence = \"aof-everysec\"\n" + unsynced +
                        fault("power-cut", "at = \"1500ms\"\nfor = \"100ms\""));
    return ms(event(h, What::enter, "client-2"));
  };
  EXPECT_GT(rival(""), 8'000);
  EXPECT_LT(rival("unsynced = \"2s\"\n"), 3'000);
}

TEST(Masters, AnAlgorithmSeesTheMastersOnly) {
  const auto h = with("[servers]\nredis = 4\n[[server]]\nname = \"redis-4\"\nreplica_of = \"redis-1\"\n", "redlock");
  for (const char* master : {"redis-1", "redis-2", "redis-3"}) EXPECT_FALSE(where(h, What::execute, master).empty());
  EXPECT_TRUE(where(h, What::execute, "redis-4").empty());
}

}  // namespace
}  // namespace lockproof::sim::server_faults_test
