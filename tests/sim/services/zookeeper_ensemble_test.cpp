// SPDX-License-Identifier: Apache-2.0
// An ensemble of ZooKeeper servers. Each test pins a sentence of docs/services/zookeeper.md, "An ensemble".
#include <algorithm>

#include "harness/scenario/services.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::zookeeper_ensemble_test {
namespace {

using harness::What;
using tests::event;
using tests::executed;
using tests::ms;
using tests::sent;
using tests::where;
using Times = std::vector<std::int64_t>;
using Words = std::vector<std::string>;

/// client-1 at zookeeper-1, from the start; client-2 at zookeeper-2, from 1 s on; zookeeper-3 leads.
std::string rivals(const std::string& hold, const std::string& lease = "8s") {
  return "[workload]\nlease = \"" + lease + "\"\nacquire_timeout = \"60s\"\nwork = [\"hold " + hold +
         "\"]\n[[client]]\nname = \"client-2\"\nserver = \"zookeeper-2\"\nstart = \"1s\"\n[servers]\nzookeeper = 3\n";
}
std::string fault(const std::string& kind, const std::string& target, const std::string& rest) {
  return "[[fault]]\nkind = \"" + kind + "\"\ntarget = \"" + target + "\"\n" + rest + "\n";
}
std::string cut(const std::string& one, const std::string& other, const std::string& at, const std::string& lasts) {
  return fault("partition", one, "peer = \"" + other + "\"\nat = \"" + at + "\"\nfor = \"" + lasts + "\"");
}
harness::History with(const std::string& text, const std::string& lock = "zookeeper-queue") {
  return tests::run(tests::scenario(text, lock));
}
/// Who was elected, in order.
Words elected(const harness::History& h) {
  Words all;
  for (const std::size_t i : where(h, What::strike)) {
    if (h.events[i].word == "election") all.push_back(h.host_name(h.events[i].host));
  }
  return all;
}
Times times(const harness::History& h, What what, const std::string& host) {
  Times all;
  for (const std::size_t i : where(h, what, host)) all.push_back(ms(h.events[i]));
  return all;
}
std::string verdict(const std::string& text, const std::string& lock, std::string_view property) {
  const harness::Scenario s = tests::scenario(text, lock);
  return tests::judged(tests::run(s), s, property).kind;
}
const std::string stall = fault("replication-stall", "zookeeper-1", "at = \"500ms\"\nfor = \"9900ms\"");

TEST(ZooKeeperEnsemble, HasAnOddNumberOfServersAndItsClientsHaveOneEach) {
  EXPECT_THROW((void)tests::scenario("[servers]\nzookeeper = 2\n", "zookeeper-queue"), harness::InputError);
  EXPECT_THROW((void)tests::scenario("[[client]]\nname = \"client-1\"\nserver = \"zookeeper-1\"\n", "zookeeper-queue"),
               harness::InputError);
  const auto h = with(rivals("1s"));
  EXPECT_EQ(h.host_name(sent(h, "client-1", "CONNECT").peer), "zookeeper-1");
  EXPECT_EQ(h.host_name(sent(h, "client-2", "CONNECT").peer), "zookeeper-2");
}

TEST(ZooKeeperEnsemble, AFollowerAppliesAtOnceWhatAnyServerHasRun) {
  const auto h = with(rivals("5s"));
  const harness::Event released = executed(h, "zookeeper-1", "DELETE");
  EXPECT_EQ(ms(event(h, What::push, "client-2")), ms(released) + 1);
  EXPECT_EQ(ms(event(h, What::enter, "client-2")), ms(released) + 3);
}

TEST(ZooKeeperEnsemble, AClientWhoseServerIsGoneTurnsToTheNextOneWithItsSession) {
  const auto h = with(rivals("12s") + fault("restart", "zookeeper-1", "at = \"2s\"\nfor = \"20s\""));
  EXPECT_EQ(h.host_name(sent(h, "client-1", "PING").peer), "zookeeper-2");
  EXPECT_TRUE(where(h, What::lost, "client-1").empty());
  EXPECT_EQ(times(h, What::exit, "client-1"), Times{ms(event(h, What::enter, "client-1")) + 12'000});
  EXPECT_TRUE(elected(h).empty()) << "it did not lead";
}

TEST(ZooKeeperEnsemble, AServerThatIsApartAnswersPingsAndLooksWithWhatItHas) {
  const auto h = with(rivals("12s") + stall);
  EXPECT_EQ(executed(h, "zookeeper-1", "PING", 2).reply, Reply::integer(1));
  EXPECT_EQ(ms(executed(h, "zookeeper-3", "session-end")), 10'000) << "the leader has not heard of it since the start";
  EXPECT_LT(ms(event(h, What::enter, "client-2")), 10'010);
  EXPECT_EQ(verdict(rivals("12s") + stall, "zookeeper-queue", "mutual-exclusion"), "double-grant");
}

TEST(ZooKeeperEnsemble, ChangesAndSyncWaitForTheLeader) {
  const auto h = with(rivals("12s") + stall, "zookeeper-queue-syncs");
  EXPECT_EQ(ms(event(h, What::time_out, "client-1")), ms(sent(h, "client-1", "SYNC", 1)) + 2'000);
  EXPECT_EQ(h.host_name(sent(h, "client-1", "SYNC", 2).peer), "zookeeper-2");
  EXPECT_EQ(verdict(rivals("12s") + stall, "zookeeper-queue-syncs", "mutual-exclusion"), "");
  const auto waits = with(rivals("1s") + fault("replication-stall", "zookeeper-1", "at = \"500ms\"\nfor = \"1500ms\""));
  EXPECT_EQ(ms(executed(waits, "zookeeper-1", "DELETE")), 2'000) << "it runs when the stall is over";
}

TEST(ZooKeeperEnsemble, ASessionOverAnotherConnectionWaitsForTheLeader) {
  const auto h =
      with(rivals("12s") + stall + fault("break-connection", "client-2", "peer = \"zookeeper-2\"\nat = \"2s\"") +
           cut("client-2", "zookeeper-3", "500ms", "20s"));
  EXPECT_FALSE(where(h, What::broken, "client-2").empty());
  for (const std::size_t i : where(h, What::execute, "zookeeper-1")) {
    EXPECT_FALSE(h.host_name(h.events[i].peer) == "client-2" && ms(h.events[i]) < 10'400);
  }
}

TEST(ZooKeeperEnsemble, WhatWaitsIsForgottenWithItsConnection) {
  const auto h = with(rivals("1s") + fault("replication-stall", "zookeeper-1", "at = \"500ms\"\nfor = \"5s\""));
  EXPECT_FALSE(where(h, What::time_out, "client-1").empty());
  for (const std::size_t i : where(h, What::execute, "zookeeper-1")) {
    EXPECT_NE(h.events[i].command->verb(), "DELETE");
  }
}

TEST(ZooKeeperEnsemble, AServerThatIsApartForFiveTicksServesNobody) {
  EXPECT_EQ(harness::sync_timeout_of(tests::scenario(rivals("1s"), "zookeeper-queue")), seconds(10));
  const auto h = with(rivals("30s", "20s") + cut("zookeeper-1", "zookeeper-2", "500ms", "40s") +
                      cut("zookeeper-1", "zookeeper-3", "500ms", "40s"));
  EXPECT_EQ(times(h, What::broken, "client-1"), Times{10'501});
  EXPECT_EQ(h.host_name(sent(h, "client-1", "PING", 1).peer), "zookeeper-2");
  EXPECT_TRUE(where(h, What::lost, "client-1").empty()) << "its session goes on";
}

TEST(ZooKeeperEnsemble, WithoutItsMajorityALeaderEndsNoSessionAndChangesNothing) {
  const auto h = with(rivals("5s") + fault("crash", "client-1", "at = \"1s\"") +
                      fault("pause", "zookeeper-1", "at = \"2s\"\nfor = \"8s\"") +
                      fault("pause", "zookeeper-2", "at = \"2s\"\nfor = \"8s\""));
  EXPECT_GT(ms(executed(h, "zookeeper-3", "session-end")), 9'999);
}

TEST(ZooKeeperEnsemble, WhenItsLeaderEndsTheOthersElectAnotherAtOnceAndDropTheirClients) {
  const auto h = with(rivals("5s") + fault("restart", "zookeeper-3", "at = \"2s\"\nfor = \"20s\""));
  EXPECT_EQ(elected(h), Words{"zookeeper-2"});
  EXPECT_EQ(ms(event(h, What::strike, "zookeeper-2")), 2'000);
  EXPECT_EQ(times(h, What::broken, "client-1").front(), 2'001);
  EXPECT_TRUE(where(h, What::lost, "client-1").empty());
}

TEST(ZooKeeperEnsemble, ALeaderThatIsNotHeardIsReplacedAfterFiveTicks) {
  for (const char* const silent : {"pause", "partition"}) {
    const auto h = with(rivals("5s") + fault(silent, "zookeeper-3", "at = \"2s\"\nfor = \"20s\""));
    EXPECT_EQ(elected(h), Words{"zookeeper-2"}) << silent;
    EXPECT_EQ(ms(event(h, What::strike, "zookeeper-2")), 12'000) << silent;
    EXPECT_TRUE(elected(with(rivals("5s") + fault(silent, "zookeeper-3", "at = \"2s\"\nfor = \"9s\""))).empty());
  }
}

TEST(ZooKeeperEnsemble, WhoHasAppliedMostIsElected) {
  const auto h = with(rivals("5s") + fault("replication-stall", "zookeeper-2", "at = \"500ms\"\nfor = \"30s\"") +
                      fault("restart", "zookeeper-3", "at = \"6s\"\nfor = \"40s\""));
  EXPECT_EQ(elected(h), Words{"zookeeper-1"});
}

TEST(ZooKeeperEnsemble, ANewLeaderGivesAllSessionsTheirWholeTime) {
  const std::string dies = rivals("5s") + fault("crash", "client-1", "when = \"client-1 enters\"");
  EXPECT_EQ(ms(event(with(dies), What::enter, "client-2")) / 1'000, 10);
  const auto h = with(dies + fault("restart", "zookeeper-3", "at = \"7s\"\nfor = \"30s\""));
  EXPECT_EQ(ms(executed(h, "zookeeper-2", "session-end")), 16'000) << "8 s after 7 s, and up to a tick more";
}

TEST(ZooKeeperEnsemble, ThoseWithoutAMajorityServeNobody) {
  const auto h = with(rivals("5s") + fault("restart", "zookeeper-1", "at = \"1900ms\"\nfor = \"6s\"") +
                      fault("restart", "zookeeper-3", "at = \"2s\"\nfor = \"6s\""));
  EXPECT_EQ(elected(h), Words{"zookeeper-2"}) << "with the first one that is up again";
  EXPECT_EQ(ms(event(h, What::strike, "zookeeper-2")), 7'900);
  for (const std::size_t i : where(h, What::execute, "zookeeper-2")) {
    EXPECT_FALSE(ms(h.events[i]) > 2'000 && ms(h.events[i]) < 7'900);
  }
}

TEST(ZooKeeperEnsemble, WhatWasAnsweredOutlivesEveryServersEnd) {
  std::string all = rivals("25s");
  for (const char* const server : {"zookeeper-1", "zookeeper-2", "zookeeper-3"}) {
    all += fault("power-cut", server, "at = \"2s\"\nfor = \"1s\"");
  }
  const auto h = with(all);
  EXPECT_TRUE(where(h, What::lost, "client-1").empty());
  EXPECT_GT(ms(event(h, What::enter, "client-2")), 25'000);
}

TEST(ZooKeeperEnsemble, KeepsOneLockForAllItsServers) {
  for (const char* const lock : {"zookeeper-queue", "zookeeper-queue-syncs", "zookeeper-herd"}) {
    EXPECT_EQ(verdict(rivals("3s"), lock, "mutual-exclusion"), "") << lock;
    EXPECT_EQ(verdict(rivals("3s"), lock, "owner-release"), "") << lock;
  }
}

}  // namespace
}  // namespace lockproof::sim::zookeeper_ensemble_test
