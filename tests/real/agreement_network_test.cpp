// SPDX-License-Identifier: Apache-2.0
// Connections and messages in both worlds, where the two once differed. Each test pins a sentence of docs/semantics/.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/real/both_worlds.hpp"

namespace lockproof::tests::agreement_network_test {
namespace {

using harness::What;

/// Whose the first commands are that a server ran.
std::vector<std::string> served_first(const harness::History& h, const std::string& server, std::size_t count) {
  std::vector<std::string> clients;
  for (const std::size_t i : where(h, What::execute, server)) {
    if (clients.size() < count) clients.push_back(h.host_name(h.events[i].peer));
  }
  return clients;
}

/// The first client asks at 0.5 s and again at 1.8 s, the second one in between. The server stands still meanwhile.
TEST(Agreement, AServerThatGoesOnReadsOneConnectionAfterTheOther) {
  const std::string asks =
      "[workload]\nlease = \"5s\"\nretry = \"300ms\"\nwork = [\"hold 1s\"]\n[[client]]\nname = \"client-1\"\n"
      "start = \"500ms\"\n[[client]]\nname = \"client-2\"\nstart = \"1s\"\n[network]\ntimeout = \"1s\"\non_timeout = "
      "\"discard\"\n[real]\nspeedup = 5\n";
  const std::string by_the_machine = fault_of("redis-1", "pause", "at = \"200ms\"\nfor = \"2500ms\"\n");
  const std::string by_the_proxy =
      fault_of("redis-1", "pause", "when = \"redis-1 before SET of client-1\"\nfor = \"2200ms\"\n");
  for (const std::string& pause : {by_the_machine, by_the_proxy}) {
    in_both_worlds(scenario(asks + pause), [&](const harness::History& h) {
      const std::vector<std::string> in_order{"client-1", "client-1", "client-2"};
      EXPECT_EQ(served_first(h, "redis-1", 3), in_order) << pause;
    });
  }
}

TEST(Agreement, WhatLeftBeforeItsConnectionBrokeStillRuns) {
  const auto s = scenario(
      "[workload]\nclients = 1\nlease = \"5s\"\nacquire_timeout = \"10s\"\n"
      "[network]\ntimeout = \"8s\"\n" +
      fault_of("client-1", "delay", "when = \"client-1 before SET\"\nby = \"3s\"\n") +
      fault_of("client-1", "break-connection", "at = \"1s\"\npeer = \"redis-1\"\n"));
  in_both_worlds(s, [](const harness::History& h) {
    EXPECT_EQ(event(h, What::failed, "client-1").error, Error::no_reply);
    EXPECT_LT(ms(event(h, What::failed, "client-1")), 2'000);
    std::vector<Duration> first;
    for (const std::size_t i : where(h, What::execute, "redis-1")) {
      if (h.events[i].message == 1) first.push_back(h.events[i].at);
    }
    ASSERT_EQ(first.size(), 1U) << "the command had left";
    EXPECT_GE(first[0], milliseconds(2'900));
  });
}

TEST(Agreement, AConnectionThatTheServerEndsLosesTheAnswerThatHadNotLeft) {
  const auto s = scenario("[workload]\nclients = 1\nlease = \"3s\"\nacquire_timeout = \"10s\"\n" +
                          fault_of("client-1", "break-connection",
                                   "when = \"redis-1 after SET of client-1\"\npeer = "
                                   "\"redis-1\"\n"));
  in_both_worlds(s, [](const harness::History& h) {
    EXPECT_EQ(event(h, What::failed, "client-1").error, Error::no_reply);
    EXPECT_FALSE(event(h, What::execute, "redis-1").effects.empty()) << "it has run";
    EXPECT_GT(ms(event(h, What::enter, "client-1")), 2'500) << "it is refused by its own lock";
  });
}

/// The partition ends a second before the server is up again.
TEST(Agreement, NobodyHearsThatAServerIsDownAcrossAPartition) {
  for (const char* way : {"both", "to-peer", "from-peer"}) {
    const auto s = scenario(
        "[workload]\nclients = 1\nlease = \"5s\"\nacquire_timeout = \"20s\"\n[[client]]\nname = \"client-1\"\nstart = "
        "\"1s\"\n[network]\ntimeout = \"1500ms\"\n" +
        fault_of("redis-1", "restart", "at = \"500ms\"\nfor = \"5s\"\n") +
        fault_of("client-1", "partition",
                 "at = \"500ms\"\nfor = \"4s\"\npeer = \"redis-1\"\ndirection = \"" + std::string(way) + "\"\n"));
    in_both_worlds(s, [&](const harness::History& h) {
      EXPECT_GE(ms(event(h, What::time_out, "client-1")), 2'490) << way;
      EXPECT_GE(ms(event(h, What::refused, "client-1")), 4'490) << way;
    });
  }
}

/// The first access of a connection that is left comes behind those of the next one.
TEST(Agreement, AccessesOfTheResourceAreToldApartWhateverTheirOrder) {
  const auto s = scenario(
      "[workload]\nlease = \"9s\"\nwork = [\"read\", \"hold 1s\", \"read\", \"write\", \"hold 4s\"]\n[[client]]\n"
      "name = \"client-2\"\nstart = \"1s\"\n[network]\ntimeout = \"1s\"\n" +
      fault_of("client-1", "delay", "when = \"client-1 before READ\"\nby = \"4s\"\n"));
  in_both_worlds(s, [](const harness::History& h) {
    std::set<std::pair<harness::HostIndex, int>> seen;
    for (const std::size_t i : where(h, What::execute, "resource")) {
      const harness::Event& ran = h.events[i];
      EXPECT_TRUE(seen.emplace(ran.peer, ran.message).second) << "one message ran twice";
      for (const std::size_t j : where(h, What::send, h.host_name(ran.peer))) {
        const harness::Event& left = h.events[j];
        if (left.peer != ran.host || left.message != ran.message) continue;
        EXPECT_EQ(left.command->args(), ran.command->args());
        EXPECT_LE(left.at, ran.at);
      }
    }
    const harness::Event first = executed(h, "resource", "READ", 1);
    EXPECT_EQ(first.message, 1) << "the late one comes last";
    EXPECT_GE(first.at, seconds(4));
  });
}

}  // namespace
}  // namespace lockproof::tests::agreement_network_test
