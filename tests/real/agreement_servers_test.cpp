// SPDX-License-Identifier: Apache-2.0
// Servers that go down, and replicas, in both worlds, where the two once differed. Each test pins a sentence of
// docs/semantics.md.
#include <string>

#include "tests/real/both_worlds.hpp"

namespace lockproof::tests::agreement_servers_test {
namespace {

using harness::What;

/// The first client has the lock for eight seconds of a minute, the second one wants it.
const std::string long_hold =
    "[workload]\nlease = \"60s\"\nwork = [\"hold 8s\"]\nacquire_timeout = \"60s\"\n[[client]]\nname = "
    "\"client-2\"\nstart = "
    "\"1s\"\n[judge]\nnotice = \"3s\"\n";
const std::string with_replica = "[servers]\nredis = 2\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n";

std::string persistence(const std::string& kind) {
  return "[[server]]\nname = \"redis-1\"\npersistence = \"" + kind + "\"\n";
}

TEST(Agreement, WhatAPowerCutTookIsKnown) {
  for (const std::string kind : {"none", "rdb", "aof-everysec", "aof-always"}) {
    const bool loses = kind == "none" || kind == "rdb";
    const auto s =
        scenario(long_hold + persistence(kind) + fault_of("redis-1", "power-cut", "at = \"3s\"\nfor = \"1s\"\n"));
    in_both_worlds(s, [&](const harness::History& h) {
      const auto& effects = event(h, What::strike, "redis-1").effects;
      ASSERT_EQ(effects.size(), loses ? 1U : 0U) << kind;
      if (loses) {
        EXPECT_EQ(effects[0].event, "flushed");
        EXPECT_EQ(effects[0].key, "lock");
      }
      EXPECT_EQ(judged(h, s, "loss-notification").verdict, loses ? check::Verdict::violated : check::Verdict::not_found)
          << kind;
    });
  }
}

/// The process of a real server is there long before it is to be up.
TEST(Agreement, AServerIsDownUntilItIsToBeUp) {
  const auto s = scenario(long_hold + persistence("aof-always") +
                          fault_of("redis-1", "restart", "at = \"1500ms\"\nfor = \"12s\"\n") +
                          fault_of("redis-1", "pause", "at = \"9s\"\nfor = \"10s\"\n"));
  in_both_worlds(s, [](const harness::History& h) {
    EXPECT_EQ(where(h, What::strike, "redis-1").size(), 1U) << "there is nothing to pause";
    EXPECT_LT(ms(event(h, What::heal, "redis-1")), 16'000);
  });
}

TEST(Agreement, AServerThatStandsStillIsToldOneThingAndDoesNothingElse) {
  for (const std::string kind : {"flush", "evict"}) {
    const auto s = scenario(long_hold + fault_of("redis-1", "pause", "when = \"client-1 enters\"\nfor = \"4s\"\n") +
                            fault_of("redis-1", kind, "at = \"2s\"\n"));
    in_both_worlds(s, [&](const harness::History& h) {
      const harness::Event first = event(h, What::execute, "redis-1", 1);
      EXPECT_GE(first.at, event(h, What::heal, "redis-1").at) << kind;
      EXPECT_EQ(h.host_name(first.peer), "client-2");
      EXPECT_FALSE(first.effects.empty()) << "the lock is free";
    });
  }
}

TEST(Agreement, AReplicaThatIsDownFollowsNobodyUntilItIsUp) {
  const auto s = scenario(
      "[workload]\nlease = \"60s\"\nwork = [\"hold 20s\"]\nacquire_timeout = \"60s\"\n[[client]]\nname = "
      "\"client-1\"\nstart "
      "= "
      "\"2s\"\n[[client]]\nname = \"client-2\"\nstart = \"3s\"\n" +
      with_replica + fault_of("redis-2", "restart", "at = \"1s\"\nfor = \"12s\"\n") +
      fault_of("redis-1", "failover", "at = \"10s\"\nto = \"redis-2\"\n"));
  in_both_worlds(s, [&](const harness::History& h) {
    EXPECT_EQ(judged(h, s, "mutual-exclusion").kind, "double-grant");
    EXPECT_GE(ms(event(h, What::enter, "client-2")), 13'000) << "nobody can connect to it before";
    EXPECT_LT(ms(event(h, What::enter, "client-2")), 20'000) << "it has not got the lock";
  });
}

TEST(Agreement, ALockThatAReplicaHasCopiedIsNotLostByAFailover) {
  const auto s = scenario(long_hold + with_replica + fault_of("redis-2", "restart", "at = \"1500ms\"\nfor = \"2s\"\n") +
                          fault_of("redis-1", "failover", "at = \"6s\"\nto = \"redis-2\"\n"));
  in_both_worlds(s, [&](const harness::History& h) {
    EXPECT_EQ(judged(h, s, "loss-notification").verdict, check::Verdict::not_found);
    EXPECT_EQ(judged(h, s, "mutual-exclusion").verdict, check::Verdict::not_found);
    EXPECT_GE(ms(event(h, What::enter, "client-2")), 8'000);
  });
}

/// When everybody has ended at two seconds a fault by time is still to come.
TEST(Agreement, AFaultThatHasItsInstantStrikesThoughAllClientsHaveEnded) {
  const auto s = scenario(
      "[workload]\nlease = \"5s\"\nwork = [\"hold 1s\"]\n[[client]]\nname = \"client-2\"\nstart = \"300ms\"\n" +
      fault_of("redis-1", "flush", "at = \"9s\"\n"));
  in_both_worlds(s, [&](const harness::History& h) {
    EXPECT_EQ(where(h, What::strike, "redis-1").size(), 1U);
    EXPECT_GE(ms(event(h, What::strike, "redis-1")), 9'000);
    EXPECT_EQ(judged(h, s, "exercised").verdict, check::Verdict::violated);
  });
}

/// Whose master is down turns to the new one, told or not.
TEST(Agreement, ASentinelsClientsLeaveAMasterThatIsDownThoughItsProcessIsThere) {
  const auto s = scenario(
      "[workload]\nlease = \"60s\"\nwork = [\"hold 2s\"]\nacquire_timeout = \"60s\"\nthink_time = \"3s\"\nrounds = 6\n"
      "[[client]]\nname = \"client-2\"\nstart = \"1s\"\n" +
      with_replica +
      "[[sentinel]]\nmaster = \"redis-1\"\npromotes = \"redis-2\"\ndown_after = \"5s\"\nnotified = [\"client-2\"]\n"
      "[real]\nspeedup = 15\n" +
      fault_of("redis-1", "restart", "at = \"3s\"\nfor = \"60s\"\n"));
  in_both_worlds(s, [](const harness::History& h) {
    bool first = false;
    for (const std::size_t i : where(h, What::execute, "redis-2")) {
      first = first || h.host_name(h.events[i].peer) == "client-1";
    }
    EXPECT_TRUE(first);
  });
}

}  // namespace
}  // namespace lockproof::tests::agreement_servers_test
