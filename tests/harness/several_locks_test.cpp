// SPDX-License-Identifier: Apache-2.0
// Locks of several names: what a client does with them, that each is judged by its name, and what is refused. Pins
// sentences of docs/semantics/clients.md and docs/semantics/properties.md.
#include "harness/scenario/file/write.hpp"
#include "tests/harness/history_table.hpp"

namespace lockproof::harness::several_locks_test {
namespace {

using check::Finding;
using check::Verdict;
using tests::event;
using tests::ms;
using tests::scenario;
using tests::where;

/// Positions of a client's events of this kind about the lock of this name; empty: the scenario's.
std::vector<std::size_t> about(const History& h, What what, const std::string& lock, const std::string& client = "") {
  std::vector<std::size_t> all;
  for (const std::size_t i : where(h, what, client)) {
    if (h.events[i].lock == lock) all.push_back(i);
  }
  return all;
}

const std::string nested = "[workload]\nclients = 1\nwork = [\"acquire b\", \"hold 2s\", \"release b\"]\n";

/// client-1 has a and wants b, client-2 has b and wants a, for as long as the leases last.
std::string in_a_ring(const std::string& lease, const std::string& more = "") {
  return "[workload]\nlease = \"" + lease + "\"\nretry = \"100ms\"\nacquire_timeout = \"30s\"\n" +
         "[[client]]\nname = \"client-1\"\nlock = \"a\"\nwork = [\"hold 1s\", \"acquire b\", \"release b\"]\n"
         "[[client]]\nname = \"client-2\"\nlock = \"b\"\nwork = [\"hold 1s\", \"acquire a\", \"release a\"]\n" +
         more;
}

TEST(SeveralLocks, AreTakenAndReleasedInsideEachOther) {
  const History h = tests::run(scenario(nested));
  ASSERT_EQ(about(h, What::enter, "b").size(), 1u);
  const std::vector<std::size_t> order{about(h, What::enter, "").front(),    about(h, What::seek, "b").front(),
                                       about(h, What::granted, "b").front(), about(h, What::enter, "b").front(),
                                       about(h, What::exit, "b").front(),    about(h, What::released, "b").front(),
                                       about(h, What::exit, "").front(),     about(h, What::released, "").front()};
  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_EQ(h.events[order[5]].word, "yes");
  EXPECT_NE(event(h, What::granted).token, h.events[order[2]].token);
}

TEST(SeveralLocks, AreJudgedByName) {
  const Scenario other = scenario("[workload]\nlock = \"a\"\n[[client]]\nname = \"client-2\"\nlock = \"b\"\n");
  const History beside = tests::run(other);
  EXPECT_EQ(tests::judged(beside, other, "mutual-exclusion").verdict, Verdict::not_found);
  const Scenario same = scenario("[workload]\nlock = \"a\"\nlease = \"1s\"\nwork = [\"hold 3s\"]\n");
  const Finding found = tests::judged(tests::run(same), same, "mutual-exclusion");
  EXPECT_EQ(found.kind, "outlived");
  EXPECT_TRUE(found.what.starts_with("lock a: client-")) << found.what;
}

TEST(SeveralLocks, ClientsThatWaitForEachOtherAreACircularWait) {
  const Scenario s = scenario(in_a_ring("60s", "[judge]\nprogress = \"5s\"\n"));
  const Finding found = tests::judged(tests::run(s), s, "deadlock-freedom");
  EXPECT_EQ(found.kind, "circular-wait");
  EXPECT_TRUE(
      found.what.starts_with("client-1 waits for b, which client-2 has, client-2 waits for a, which client-1 has"))
      << found.what;
}

TEST(SeveralLocks, ARingThatEndsInTimeIsNone) {
  const Scenario s = scenario(in_a_ring("4s", "[judge]\nprogress = \"5s\"\n"));
  EXPECT_EQ(tests::judged(tests::run(s), s, "deadlock-freedom").verdict, Verdict::not_found);
  const Scenario one_order = scenario(
      "[workload]\nlock = \"a\"\nwork = [\"hold 1s\", \"acquire b\", \"hold 8s\", \"release b\"]\n[judge]\nprogress = "
      "\"5s\"\n");
  EXPECT_EQ(tests::judged(tests::run(one_order), one_order, "deadlock-freedom").verdict, Verdict::not_found);
}

TEST(SeveralLocks, WhoCannotGetTheOtherGivesUpAndLeaves) {
  const History h = tests::run(scenario(
      "[workload]\nacquire_timeout = \"2s\"\nlock = \"a\"\nwork = [\"acquire b\", \"hold 1s\", \"release b\"]\n"
      "[[client]]\nname = \"client-2\"\nlock = \"b\"\nwork = [\"hold 10s\"]\n"));
  EXPECT_EQ(about(h, What::gave_up, "b", "client-1").size(), 1u);
  ASSERT_EQ(about(h, What::exit, "a", "client-1").size(), 1u);
  EXPECT_EQ(h.events[about(h, What::exit, "a", "client-1").front()].word, "gave-up");
  EXPECT_EQ(about(h, What::released, "a", "client-1").size(), 1u);
  EXPECT_TRUE(about(h, What::enter, "b", "client-1").empty());
}

TEST(SeveralLocks, WhoLeavesEarlyReleasesAllTheLastOneFirst) {
  const History h = tests::run(scenario(
      "[workload]\nclients = 1\nlease = \"3s\"\nstop_on = \"deadline\"\nwork = [\"acquire b\", \"acquire c\", \"hold "
      "9s\", \"release c\", \"release b\"]\n"));
  const std::vector<std::size_t> order{about(h, What::exit, "c").at(0),    about(h, What::exit, "b").at(0),
                                       about(h, What::exit, "").at(0),     about(h, What::release, "c").at(0),
                                       about(h, What::release, "b").at(0), about(h, What::release, "").at(0)};
  EXPECT_TRUE(std::ranges::is_sorted(order));
}

TEST(SeveralLocks, TheDeadlineOfTheOuterOneEndsTheWaitForTheInner) {
  const History h = tests::run(scenario(
      "[workload]\nlease = \"3s\"\nstop_on = \"deadline\"\nlock = \"a\"\nwork = [\"acquire b\", \"release b\"]\n"
      "[[client]]\nname = \"client-2\"\nlease = \"20s\"\nlock = \"b\"\nwork = [\"hold 10s\"]\n"));
  const auto exit = about(h, What::exit, "a", "client-1");
  ASSERT_EQ(exit.size(), 1u);
  EXPECT_EQ(h.events[exit.front()].word, "deadline");
  EXPECT_LT(ms(h.events[exit.front()]), 3200);
}

TEST(SeveralLocks, OneWatchdogRenewsThemAll) {
  const History h = tests::run(scenario(
      "watchdog_timeout = \"3s\"\n[workload]\nclients = 1\nwork = [\"acquire b\", \"hold 10s\", \"release b\"]\n",
      "redisson"));
  EXPECT_GT(about(h, What::renewed, "").size(), 5u);
  EXPECT_GT(about(h, What::renewed, "b").size(), 5u);
  EXPECT_TRUE(where(h, What::lost).empty());
}

/// A Redisson object draws its owner's name once.
TEST(SeveralLocks, OneObjectServesAllNamesIfTheScenarioSaysSo) {
  for (const bool one : {false, true}) {
    const std::string object = one ? "lock_object = \"one\"\n" : "";
    const History h = tests::run(scenario(nested + object, "redisson"));
    const Event own = h.events[about(h, What::granted, "").at(0)], other = h.events[about(h, What::granted, "b").at(0)];
    EXPECT_EQ(own.token == other.token, one);
  }
}

std::string refused(const std::string& text, const std::string& algorithm = "set-px-token") {
  try {
    (void)scenario(text, algorithm);
    return "";
  } catch (const InputError& e) {
    return e.what();
  }
}

std::string work(const std::string& steps) { return refused("[workload]\nwork = [" + steps + "]\n"); }

TEST(SeveralLocks, AreReleasedInTheOrderOfAStack) {
  EXPECT_EQ(work("\"acquire b\", \"release b\""), "");
  EXPECT_NE(work("\"acquire b\""), "");
  EXPECT_NE(work("\"acquire b\", \"acquire b\", \"release b\", \"release b\"").find("which it has already"),
            std::string::npos);
  EXPECT_NE(work("\"acquire b\", \"acquire c\", \"release b\", \"release c\"").find("released first"),
            std::string::npos);
  EXPECT_NE(work("\"release b\"").find("has not acquired"), std::string::npos);
  EXPECT_NE(work("\"acquire b\", \"release\"").find("released first"), std::string::npos);
}

TEST(SeveralLocks, AreRefusedByNameWhereTheyAreNotFollowed) {
  const std::string b = "[workload]\nwork = [\"acquire b\", \"release b\"]\n";
  EXPECT_NE(refused(b + "[resource]\nfencing = \"all\"\n").find("fencing tokens"), std::string::npos);
  EXPECT_NE(refused(b, "zookeeper-herd").find("followed on Redis"), std::string::npos);
  EXPECT_NE(refused("[workload]\nperiod = \"1min\"\nwork = [\"acquire b\", \"release b\"]\n").find("a period"),
            std::string::npos);
  EXPECT_NE(
      refused("[workload]\nwork = [\"acquire b\", \"release b\"]\n[[client]]\nname = \"client-1\"\nlock = \"b\"\n")
          .find("the lock of its rounds"),
      std::string::npos);
}

TEST(SeveralLocks, OfTheScenariosNameAreTheClientsOwn) {
  const Scenario s = scenario("[workload]\nwork = [\"acquire lock\", \"release lock\"]\nlock = \"lock\"\n");
  EXPECT_FALSE(s.has_several_locks());
  EXPECT_EQ(s.locks(), std::vector<std::string>{"lock"});
}

TEST(SeveralLocks, AreWrittenAsTheyAreRead) {
  const std::string second = "[[client]]\nname = \"client-2\"\n";
  for (const std::string& text :
       {nested, in_a_ring("4s"), "[workload]\nlock = \"a\"\n" + second + "lock = \"lock\"\n",
        "[workload]\nlock_object = \"one\"\n" + second + "lock_object = \"for-each\"\n",
        "[workload]\nbefore = [\"read\", \"hold 1s\"]\n" + second + "before = []\n",
        "[workload]\nrounds = 2\nmode = [\"shared\", \"exclusive\"]\n" + second + "mode = \"shared\"\n",
        std::string("[judge]\nentry = \"1s\"\nsettled = \"2s\"\nearly = \"0s\"\n")}) {
    const Scenario s = scenario(text);
    const Scenario again = parse_scenario("written.toml", to_toml(s));
    EXPECT_TRUE(again.clients == s.clients) << to_toml(s);
    EXPECT_TRUE(again.entry == s.entry && again.settled == s.settled && again.early == s.early) << to_toml(s);
    EXPECT_EQ(to_toml(again), to_toml(s));
    EXPECT_NE(to_toml(s), to_toml(scenario("")));
  }
}

TEST(Before, AReadIsTheBaseOfAWriteInside) {
  const std::string inside = "[workload]\nwork = [\"read\", \"hold 1s\", \"write\"]\n";
  const std::string outside = "[workload]\nbefore = [\"read\"]\nwork = [\"hold 1s\", \"write\"]\n";
  for (const auto& [text, verdict] : {std::pair{inside, Verdict::not_found}, {outside, Verdict::violated}}) {
    const Scenario s = scenario(text);
    EXPECT_EQ(tests::judged(tests::run(s), s, "resource-safety").verdict, verdict) << text;
  }
}

/// Without a write nothing is lost, whatever grants came between a read and the next one.
TEST(Before, AReadHasNoPlaceInTheOrderOfGrants) {
  const Scenario s =
      scenario("[workload]\nrounds = 3\nbefore = [\"hold 300ms\", \"read\"]\nwork = [\"hold 1s\", \"read\"]\n");
  EXPECT_EQ(tests::judged(tests::run(s), s, "resource-safety").verdict, Verdict::not_found);
}

TEST(Before, TheClientWantsNothingYet) {
  const History h = tests::run(scenario("[workload]\nclients = 1\nbefore = [\"hold 3s\"]\n"));
  EXPECT_EQ(ms(event(h, What::prepare)), 0);
  EXPECT_EQ(ms(event(h, What::start)), 3000);
}

TEST(ModeByRound, ChangesWithTheRound) {
  const History h = tests::run(
      scenario("[workload]\nclients = 1\nrounds = 3\nmode = [\"shared\", \"exclusive\"]\n", "redisson-read-write"));
  std::vector<std::string> words;
  for (const std::size_t i : where(h, What::enter)) words.push_back(h.events[i].word);
  EXPECT_EQ(words, (std::vector<std::string>{"shared", "", ""}));
  EXPECT_NE(refused("[workload]\nrounds = \"for ever\"\nmode = [\"shared\", \"exclusive\"]\n", "redisson-read-write")
                .find("not counted"),
            std::string::npos);
}

}  // namespace
}  // namespace lockproof::harness::several_locks_test
