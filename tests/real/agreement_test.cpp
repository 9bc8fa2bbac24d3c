// SPDX-License-Identifier: Apache-2.0
// The same scenario in both worlds breaks the same, where the two once differed. Each test pins a sentence of
// docs/semantics.md.
#include <string>

#include "tests/real/both_worlds.hpp"

namespace lockproof::tests::agreement_test {
namespace {

using harness::What;

std::string fault(const std::string& kind, const std::string& rest) { return fault_of("client-1", kind, rest); }
const std::string rivals =
    "[workload]\nlease = \"5s\"\nwork = [\"hold 1s\"]\n[[client]]\nname = \"client-2\"\nstart = \"1s\"\n";

TEST(Agreement, APauseBeforeACommandIsNoPartOfItsTimeOut) {
  const auto s = scenario(rivals + "[network]\ntimeout = \"2s\"\n" +
                          fault("pause", "when = \"client-1 before SET\"\nfor = \"3s\"\n"));
  in_both_worlds(s, [](const harness::History& h) {
    EXPECT_TRUE(where(h, What::time_out, "client-1").empty());
    EXPECT_GE(ms(event(h, What::enter, "client-1")), 3'000);
  });
}

TEST(Agreement, FaultsAtOneEventStrikeTogetherInAnyOrder) {
  const std::string pause = fault("pause", "when = \"client-1 enters\"\nfor = \"8s\"\n");
  const std::string slow = fault("clock-rate", "when = \"client-1 enters\"\nrate = \"-60%\"\n");
  for (const std::string& both : {pause + slow, slow + pause}) {
    const auto s = scenario(rivals + both);
    in_both_worlds(s, [&](const harness::History& h) {
      EXPECT_EQ(judged(h, s, "mutual-exclusion").kind, "double-grant") << both;
    });
  }
}

TEST(Agreement, WhatIsListedBehindACrashStrikesOthersAndNotTheDead) {
  const std::string crash = fault("crash", "when = \"client-1 enters\"\n");
  const std::string pause = fault("pause", "when = \"client-1 enters\"\nfor = \"1s\"\n");
  const std::string flush = "[[fault]]\nkind = \"flush\"\ntarget = \"redis-1\"\nwhen = \"client-1 enters\"\n";
  in_both_worlds(scenario(rivals + crash + pause + flush), [](const harness::History& h) {
    EXPECT_EQ(where(h, What::strike, "client-1").size(), 1U);
    EXPECT_EQ(where(h, What::strike, "redis-1").size(), 1U);
    EXPECT_LT(ms(event(h, What::enter, "client-2")), 4'000) << "the lock is free at once, and not when its lease ends";
  });
}

TEST(Agreement, ATaskIsKilledBeforeItsProcessIs) {
  const std::string when = "when = \"redis-1 before SET of client-2\"\n";
  const auto s = scenario(rivals + fault("kill-task", when) + fault("crash", when));
  in_both_worlds(s, [](const harness::History& h) {
    EXPECT_EQ(event(h, What::strike, "client-1", 0).word, "kill-task");
    EXPECT_EQ(event(h, What::strike, "client-1", 1).word, "crash");
  });
}

/// What stands before an entry is struck between two steps of its coroutines, which the fault may end.
TEST(Agreement, FaultsBeforeWhatEveryLockDoesStrikeInBothWorlds) {
  for (const char* act : {"acquire", "enter", "exit", "release"}) {
    for (const char* kind : {"crash", "kill-task", "pause"}) {
      SCOPED_TRACE(std::string(kind) + " before " + act);
      const bool pauses = kind == std::string("pause");
      const std::string when = std::string("when = \"client-1 before ") + act + "\"\n";
      const auto s = scenario(rivals + fault(kind, when + (pauses ? "for = \"5500ms\"\n" : "")));
      std::vector<What> life;  // of the first world
      in_both_worlds(s, [&](const harness::History& h) {
        std::vector<What> here;
        for (const harness::Event& e : h.events) {
          const bool is_its =
              e.host == 0 && (e.what <= What::finished || e.what == What::strike || e.what == What::send);
          if (is_its && e.what != What::busy && e.what != What::attempt) here.push_back(e.what);
        }
        EXPECT_EQ(where(h, What::strike, "client-1").size(), 1U);
        if (life.empty()) life = here;
        if (!pauses) {
          EXPECT_EQ(here, life);
        }
        const bool overlaps = pauses && (act == std::string("enter") || act == std::string("exit"));
        EXPECT_EQ(judged(h, s, "mutual-exclusion").kind, overlaps ? "outlived" : "");
      });
    }
  }
}

/// The server is down when the first client releases, and up when it asks again.
TEST(Agreement, ARefusalIsNoReply) {
  const auto s = scenario("[workload]\nlease = \"9s\"\nwork = [\"hold 3s\"]\nclients = 1\n" +
                          fault_of("redis-1", "restart", "at = \"1s\"\nfor = \"6s\"\n") +
                          fault("pause", "when = \"client-1 after compare-and-delete\"\nfor = \"1s\"\n"));
  in_both_worlds(s, [](const harness::History& h) {
    EXPECT_EQ(where(h, What::refused, "client-1").size(), 1U);
    EXPECT_TRUE(where(h, What::strike, "client-1").empty());
  });
}

TEST(Agreement, PausesAtOneEventEndWithTheLongest) {
  const std::string enters = "when = \"client-1 enters\"\n";
  const auto s =
      scenario(rivals + fault("pause", enters + "for = \"2s\"\n") + fault("pause", enters + "for = \"3s\"\n"));
  in_both_worlds(s, [](const harness::History& h) {
    EXPECT_EQ(where(h, What::heal, "client-1").size(), 2U);
    EXPECT_GE(ms(event(h, What::exit, "client-1")), 3'000);
    EXPECT_LT(ms(event(h, What::exit, "client-1")), 4'500);
  });
}

TEST(Agreement, AWriteThatADeadClientHasSentStillArrives) {
  const std::string write = "when = \"client-1 before WRITE\"\n";
  const auto s = scenario(
      "[workload]\nlease = \"5s\"\nwork = [\"read\", \"hold 1s\", \"write\"]\n[[client]]\nname = \"client-2\"\nstart = "
      "\"1s\"\n" +
      fault("delay", write + "by = \"10s\"\n") + fault("crash", write + "after = \"500ms\"\n"));
  in_both_worlds(s, [&](const harness::History& h) {
    EXPECT_EQ(judged(h, s, "resource-safety").verdict, check::Verdict::violated);
    const auto& last = h.events.at(where(h, What::execute, "resource").back());
    EXPECT_EQ(h.host_name(last.peer), "client-1");
    EXPECT_GT(last.at, event(h, What::finished, "client-2").at);
  });
}

/// The first client's DEL is on its way for seven seconds; by then the second one has entered, and both have died.
TEST(Agreement, ACommandThatADeadClientHasSentStillRuns) {
  const auto s = scenario(
      rivals +
          fault("partition",
                "when = \"client-1 before DEL\"\npeer = \"redis-1\"\ndirection = \"to-peer\"\nfor = \"7s\"\n") +
          fault("crash", "when = \"client-1 before DEL\"\nafter = \"500ms\"\n") +
          "[[fault]]\nkind = \"crash\"\ntarget = \"client-2\"\nwhen = \"client-2 enters\"\n",
      "set-ex-del");
  in_both_worlds(s, [&](const harness::History& h) {
    EXPECT_EQ(judged(h, s, "owner-release").verdict, check::Verdict::violated);
    EXPECT_GT(executed(h, "redis-1", "DEL").at, seconds(7));
  });
}

TEST(Agreement, WhatWaitsForAServerThatStandsStillRunsWhenItGoesOn) {
  const auto s =
      scenario("[workload]\nclients = 1\nlease = \"5s\"\nwork = [\"hold 1s\"]\n" +
               fault("crash", "when = \"client-1 before compare-and-delete\"\nafter = \"500ms\"\n") +
               "[[fault]]\nkind = \"pause\"\ntarget = \"redis-1\"\nwhen = \"client-1 exits\"\nfor = \"3s\"\n");
  in_both_worlds(
      s, [&](const harness::History& h) { EXPECT_GE(executed(h, "redis-1", "compare-and-delete").at, seconds(4)); });
}

TEST(Agreement, AFailoverOfAMasterThatIsDownHappens) {
  const auto s = scenario(
      "[workload]\nlease = \"60s\"\nwork = [\"hold 8s\"]\nacquire_timeout = \"60s\"\n[[client]]\nname = \"client-2\"\n"
      "start = \"1s\"\n[servers]\nredis = 2\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n"
      "[[fault]]\nkind = \"restart\"\ntarget = \"redis-1\"\nat = \"2s\"\nfor = \"3s\"\n"
      "[[fault]]\nkind = \"failover\"\ntarget = \"redis-1\"\nat = \"4s\"\nto = \"redis-2\"\n");
  in_both_worlds(s, [&](const harness::History& h) {
    EXPECT_EQ(where(h, What::strike, "redis-1").size(), 2U);
    EXPECT_TRUE(where(h, What::heal, "redis-1").empty()) << "it is down for good";
    EXPECT_GT(ms(event(h, What::enter, "client-2")), 8'000) << "the replica had the lock";
    EXPECT_FALSE(where(h, What::execute, "redis-2").empty());
  });
}

}  // namespace
}  // namespace lockproof::tests::agreement_test
