// SPDX-License-Identifier: Apache-2.0
// Clients that ask for the lock when it hurts: no verdict may hinge on when the file lets them ask.
#include "search/core/contention.hpp"

#include <fmt/format.h>

#include "harness/check/properties.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/write.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "search/results/counterexample.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "sim/run.hpp"
#include "tests/fixtures.hpp"
#include "tests/search/same_search.hpp"

namespace lockproof::sim::contention_test {
namespace {

using harness::Bounds;
using harness::Contention;
using harness::Scenario;

const ViolationKind outlived{"mutual-exclusion", "outlived"}, double_grant{"mutual-exclusion", "double-grant"};

/// Work of 40 s and a pause of 3 s at most, under a lease of its own.
std::string paused(const std::string& lease, const std::string& workload = "") {
  return "[workload]\nlease = \"" + lease + "\"\n" + workload +
         "work = [\"read\", \"hold 40s\", \"write\"]\n[explore]\n[[explore.fault]]\nkind = \"pause\"\n"
         "target = \"clients\"\nfor = [\"1s\", \"3s\"]\n";
}

/// The scenario's own bounds, within which clients ask freely.
Bounds freely(const Scenario& scenario) {
  Bounds bounds = scenario.explore.value_or(Bounds{});
  bounds.contention = Contention::adversarial;
  return bounds;
}

Exploration searched(const Scenario& scenario, Contention contention = Contention::adversarial) {
  Bounds bounds = scenario.explore.value_or(Bounds{});
  bounds.contention = contention;
  return explore_stateful(bounded(scenario, bounds, false), bounds, {.exchange = true});
}

Exploration searched(const std::string& text, Contention contention = Contention::adversarial) {
  return searched(tests::scenario(text, "set-px-token"), contention);
}

TEST(Contention, ARivalAsksInTheOneSecondThatIsOpen) {
  const std::string misses_it = paused("42s", "attempts = 4\nretry = \"15s\"\n");
  EXPECT_FALSE(searched(misses_it, Contention::as_written).broken.contains(outlived));
  const Exploration found = searched(misses_it);
  EXPECT_TRUE(found.complete);
  EXPECT_TRUE(found.broken.contains(outlived));
}

TEST(Contention, NeitherRetryNorAttemptsDecideAVerdict) {
  for (const char* retry : {"50ms", "1s", "15s"}) {
    for (const int attempts : {1, 2, 6}) {
      const std::string polls = fmt::format("attempts = {}\nretry = \"{}\"\n", attempts, retry);
      EXPECT_TRUE(searched(paused("42s", polls)).broken.contains(outlived)) << polls;
      EXPECT_TRUE(searched(paused("43s", polls)).broken.contains(outlived)) << polls;
      EXPECT_TRUE(searched(paused("44s", polls)).broken.empty()) << polls;
    }
  }
}

/// Work, pause, and four message ways: a lease that is a millisecond longer is never outlived.
TEST(Contention, TheEdgeIsExact) {
  EXPECT_TRUE(searched(paused("43003ms")).broken.contains(outlived));
  EXPECT_TRUE(searched(paused("43004ms")).broken.empty());
}

/// A master that may fail over to its replica, and one attempt each that counts.
Exploration searched_with_a_failover(const std::string& workload, const char* algorithm) {
  const Scenario scenario =
      tests::scenario(workload +
                          "[servers]\nredis = 2\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n"
                          "[explore]\nattempts = 1\n[[explore.fault]]\nkind = \"failover\"\n",
                      algorithm);
  const Bounds bounds = freely(scenario);
  return explore_by_reexecution(bounded(scenario, bounds, false), bounds,
                                {.go_on = [](const Progress& now) { return now.states < 20'000; }});
}

TEST(Contention, OneAttemptEachIsEnoughToLoseTheLockInAFailover) {
  const Exploration found = searched_with_a_failover(
      "[workload]\nlease = \"60s\"\nwork = [\"read\", \"hold 40s\", \"write\"]\n", "set-px-token");
  EXPECT_TRUE(found.complete);
  EXPECT_TRUE(found.broken.contains(double_grant));
}

/// One attempt in each period, at its beginning: who may come at any time would come when the lease is over.
TEST(Contention, ClientsThatComeByAPeriodAskAsItIsWritten) {
  const std::string kept =
      "[workload]\nperiod = \"30s\"\nlease = \"20s\"\nattempts = 1\nrelease_tries = 0\nwork = [\"hold 5s\"]\n"
      "[[client]]\nname = \"client-2\"\nclock = \"-";
  for (const Contention contention : {Contention::adversarial, Contention::as_written}) {
    EXPECT_TRUE(searched(kept + "12s\"\n", contention).broken.empty());
    EXPECT_TRUE(searched(kept + "21s\"\n", contention).broken.contains({"once-per-period", ""}));
  }
}

/// The holder's window is open before the rival wants the lock; else it would ask as the rival's lease ends.
TEST(Contention, AWindowBoundsTheFirstAsk) {
  const std::string before =
      "[workload]\nlease = \"42s\"\nwork = [\"hold 40s\"]\n[[client]]\nname = \"client-1\"\nstart = ";
  const std::string after =
      "[[client]]\nname = \"client-2\"\nstart = \"60s\"\n[explore]\n[[explore.fault]]\nkind = \"pause\"\nfor = "
      "\"3s\"\n";
  EXPECT_TRUE(searched(before + "[\"0s\", \"10s\"]\n" + after).broken.empty());
  EXPECT_TRUE(searched(before + "\"0s\"\n" + after).broken.contains(outlived));
  const Scenario at_its_end = tests::scenario(before + "[\"0s\", \"17500ms\"]\n" + after, "set-px-token");
  const Exploration found = searched(at_its_end);
  ASSERT_TRUE(found.broken.contains(outlived));
  const auto shown = counterexample(bounded(at_its_end, freely(at_its_end), false), freely(at_its_end), outlived.first,
                                    outlived.second, found.broken.at(outlived), seconds(200));
  ASSERT_TRUE(shown);
  EXPECT_TRUE(shown->scenario.expect.run->contains("mutual-exclusion"));
}

/// With the default retry a pause of a lease makes thousands of polls; none of them is a state of its own.
TEST(Contention, RefusedAttemptsAreNoStates) {
  const Exploration found = searched("[explore]\n[[explore.fault]]\nkind = \"pause\"\nfor = \"T\"\n");
  EXPECT_TRUE(found.complete);
  EXPECT_LT(found.states, 50'000u);
}

TEST(Contention, ACounterexampleSaysWhenItsRivalAsks) {
  const Scenario scenario = tests::scenario(paused("42s", "attempts = 4\nretry = \"15s\"\n"), "set-px-token");
  const Bounds bounds = freely(scenario);
  const Scenario explored = bounded(scenario, bounds, false);
  const Exploration found = explore_stateful(explored, bounds, {});
  auto shown =
      counterexample(explored, bounds, outlived.first, outlived.second, found.broken.at(outlived), seconds(120));
  ASSERT_TRUE(shown);
  round_asks(*shown, outlived.first, outlived.second);
  const std::string text = harness::to_toml(shown->scenario);
  EXPECT_NE(text.find(" asks"), std::string::npos) << text;
  const Scenario again = harness::parse_scenario("again", text);
  EXPECT_EQ(again.steps.size(), shown->scenario.steps.size());
  bool violated = false;
  for (const check::Finding& finding : check::judge(run(again, 7), again)) {
    violated |= finding.property == outlived.first && finding.kind == outlived.second;
  }
  EXPECT_TRUE(violated) << text;
}

/// A client that may also never ask breaks no bound: with a bound in time clients ask as the file says.
TEST(Contention, ABoundInTimeIsJudgedWithClientsThatAskAsWritten) {
  const std::string text =
      "[workload]\nlease = \"10s\"\nattempts = 20\nretry = \"1s\"\nwork = [\"hold 6s\"]\n[judge]\nprogress = \"15s\"\n"
      "[explore]\n[[explore.fault]]\nkind = \"crash\"\n";
  const Exploration found = searched(text);
  EXPECT_TRUE(found.complete);
  EXPECT_TRUE(found.judged.contains("deadlock-freedom"));
  EXPECT_TRUE(found.broken.empty());
  EXPECT_GT(found.timed_states, 0u);
  EXPECT_TRUE(tested(found, "deadlock-freedom").contended && tested(found, "mutual-exclusion").contended);
  const Exploration late = searched(std::string(text).replace(text.find("15s"), 3, "5s"));
  EXPECT_TRUE(late.broken.contains({"deadlock-freedom", "orphaned"}));
}

/// What clients show that ask freely says nothing of what is judged by others.
TEST(Contention, ABoundInTimeIsPutToTheTestByClientsThatAskAsWritten) {
  const std::string text =
      "[workload]\nlease = \"2s\"\nattempts = 2\nwork = [\"hold 1s\"]\n[[client]]\nname = \"client-2\"\n"
      "start = \"3s\"\n[judge]\ntakeover = \"5s\"\nwaiting = \"5s\"\n";
  const Exploration found = searched(text);
  EXPECT_TRUE(found.complete);
  EXPECT_TRUE(found.contended);
  EXPECT_TRUE(tested(found, "mutual-exclusion").contended);
  EXPECT_TRUE(tested(found, "deadlock-freedom").contended);  // without a bound probe clients are sent
  EXPECT_FALSE(tested(found, "bounded-takeover").contended);
  EXPECT_FALSE(tested(found, "starvation-freedom").contended);
}

/// Too many schedules for a test if clients ask freely.
Scenario too_large() {
  return tests::scenario(
      "[workload]\nclients = 3\nlease = \"5s\"\nattempts = 2\nretry = \"2500ms\"\nwork = [\"hold 1s\"]\n"
      "[judge]\nwaiting = \"1h\"\n[explore]\n[[explore.fault]]\nkind = \"evict\"\n",
      "getset-timestamp");
}

Exploration searched_first(const Scenario& scenario, Limits limits) {
  limits.written_first = true;
  const Bounds bounds = freely(scenario);
  return explore_stateful(bounded(scenario, bounds, false), bounds, limits);
}

/// What clients show that ask as the scenario says is known before the many schedules are searched in which they do
/// not.
TEST(Contention, WhatIsWrittenIsSearchedFirst) {
  Limits limits;
  limits.enough = [](const std::set<ViolationKind>& found) { return found.contains(double_grant); };
  const Exploration found = searched_first(too_large(), limits);
  EXPECT_TRUE(found.only_written);
  EXPECT_FALSE(found.complete);
  EXPECT_LT(found.states, 10'000u);
  ASSERT_TRUE(found.broken.contains(double_grant));
  EXPECT_TRUE(found.broken.at(double_grant).as_written);
  EXPECT_TRUE(counterexample(bounded(too_large(), freely(too_large()), false), freely(too_large()), double_grant.first,
                             double_grant.second, found.broken.at(double_grant), seconds(60)));
}

TEST(Contention, WhatIsWrittenIsKnownWhereALimitStopsTheRest) {
  Limits limits;
  limits.go_on = [](const Progress& progress) { return progress.states < 50'000; };
  const Exploration found = searched_first(too_large(), limits);
  EXPECT_TRUE(found.written);
  EXPECT_FALSE(found.complete || found.only_written);
  EXPECT_TRUE(found.broken.contains(double_grant));
  ASSERT_TRUE(found.timed);
  EXPECT_TRUE(found.timed->judged.contains("starvation-freedom")) << "it is judged by these schedules alone";
}

/// A search that ends finds nothing in them that it does not find without them, nor with fewer faults.
TEST(Contention, WhatIsWrittenAddsNothingToASearchThatEnds) {
  const Scenario scenario = tests::scenario(
      "[workload]\nlease = \"10s\"\nattempts = 3\nwork = [\"hold 6s\"]\n[explore]\n[[explore.fault]]\n"
      "kind = \"pause\"\nfor = \"T\"\n",
      "set-px-token");
  const Exploration plain = searched(scenario), first = searched_first(scenario, {.exchange = true});
  EXPECT_TRUE(plain.complete && first.complete && first.written && !first.only_written);
  EXPECT_EQ(first.states, plain.states);
  EXPECT_EQ(first.judged, plain.judged);
  ASSERT_EQ(first.broken.size(), plain.broken.size());
  EXPECT_FALSE(plain.broken.empty());
  for (const auto& [way, broken] : plain.broken) {
    ASSERT_TRUE(first.broken.contains(way)) << way.first;
    EXPECT_EQ(first.broken.at(way).choices, broken.choices) << way.first;
    EXPECT_FALSE(first.broken.at(way).as_written) << way.first;
  }
}

/// With the default retry a pause of a lease makes thousands of polls, which are no states where clients ask freely.
TEST(Contention, WhatIsWrittenDoesNotKeepASmallSearchWaiting) {
  const Scenario scenario =
      tests::scenario("[explore]\n[[explore.fault]]\nkind = \"pause\"\nfor = \"T\"\n", "set-px-token");
  const Exploration first = searched_first(scenario, {.exchange = true});
  EXPECT_TRUE(first.complete);
  EXPECT_FALSE(first.written);
  EXPECT_EQ(first.states, searched(scenario).states);
}

/// Without a bound the lock of a client that crashed is dead where a probe client never gets it, though others may
/// abstain.
TEST(Contention, AnOrphanedLockIsFoundThoughTheRivalMayAbstain) {
  const Scenario scenario =
      tests::scenario("[explore]\nattempts = 2\n[[explore.fault]]\nkind = \"crash\"\n", "setnx-del");
  EXPECT_TRUE(searched(scenario).broken.contains({"deadlock-freedom", "orphaned"}));
}

/// Clients are refused for ever and may ask again at each answer. The promoted server's old master expires nothing, so
/// its copy of the lease is over for longer and longer: that must not make a new state of each refusal.
TEST(Contention, ALeaseThatIsOverOnAServerThatExpiresNothingMakesNoStates) {
  EXPECT_TRUE(searched_with_a_failover("", "setnx-expire-del").complete);
}

/// Renewals follow each other faster than messages arrive, and never end: what is due can be looked at only so far.
TEST(Contention, LooksAheadAsFarAsAnAskReachesAndNotForEver) {
  const Scenario scenario = tests::scenario(
      "[workload]\nlease = \"1200ms\"\nattempts = 1\nwork = [\"hold 500ms\"]\n[network]\nlatency = \"200ms\"\n"
      "timeout = \"2s\"\n[explore]\n[[explore.fault]]\nkind = \"kill-task\"\n",
      "guard-thread-repaired");
  const Bounds bounds = freely(scenario);
  const Scenario explored = bounded(scenario, bounds, false);
  const Exploration fast = explore_stateful(explored, bounds, {});
  EXPECT_TRUE(fast.complete);
  EXPECT_TRUE(fast.broken.contains({"deadlock-freedom", "orphaned"}));
  tests::expect_same_search(explore_by_reexecution(explored, bounds, {}), fast);
}

/// The message of an attempt that was given up comes back while the same client's later grant is being released.
TEST(Contention, AnAskMakesItsReleaseMeetALateMessage) {
  for (const char* stop_on : {"nothing", "deadline"}) {
    const std::string scenario =
        "[workload]\nlease = \"1s\"\nattempts = 2\nwork = [\"read\", \"hold 700ms\", \"write\"]\nstop_on = \"" +
        std::string(stop_on) +
        "\"\n[network]\nlatency = \"100ms\"\ntimeout = \"2s\"\n[explore]\n[[explore.fault]]\nkind = \"delay\"\n"
        "by = \"5s\"\n";
    const Exploration found = searched(tests::scenario(scenario, "set-px-thread-id"));
    EXPECT_TRUE(found.complete);
    EXPECT_TRUE(found.broken.contains({"re-entrancy", "still-held"})) << stop_on;
  }
}

/// Who asks while the server is paused, so late that its time-out has not passed when the answer comes, and so early
/// that little of its lease is left then.
TEST(Contention, AnAskMakesAnAnswerThatWasKeptBackComeBeforeItsTimeOut) {
  const std::string scenario =
      "[workload]\nclients = 3\nlease = \"3s\"\nwork = [\"read\", \"hold 1700ms\", \"write\"]\n[network]\n"
      "latency = \"100ms\"\ntimeout = \"1200ms\"\n[explore]\nattempts = 1\nmax_faults = 2\n[[explore.fault]]\n"
      "kind = \"restart\"\nfor = \"1400ms\"\n[[explore.fault]]\nkind = \"pause\"\ntarget = \"servers\"\n"
      "for = \"1900ms\"\n";
  const Exploration found = searched(tests::scenario(scenario, "token-pubsub"));
  EXPECT_TRUE(found.complete);
  EXPECT_TRUE(found.broken.contains(outlived));
}

/// Who asks so that its deadline passes as another client, which was suspended, enters: it has outlived its lease, and
/// has not left yet.
TEST(Contention, AnAskMakesItsReleaseMeetAClientThatGoesOn) {
  const std::string scenario =
      "[workload]\nlease = \"2s\"\nstop_on = \"deadline\"\nwork = [\"read\", \"hold 3700ms\", \"write\"]\n[network]\n"
      "latency = \"200ms\"\ntimeout = \"600ms\"\n[explore]\nattempts = 1\n[[explore.fault]]\nkind = \"suspend\"\n"
      "target = \"clients\"\nfor = \"5500ms\"\n[servers]\nredis = 2\n[[server]]\nname = \"redis-2\"\n"
      "replica_of = \"redis-1\"\n";
  const Exploration found = searched(tests::scenario("wait = \"1s\"\n" + scenario, "set-px-token-wait"));
  EXPECT_TRUE(found.complete);
  EXPECT_TRUE(found.broken.contains(outlived));
}

/// Who asks so that the server is paused at its request, and goes on just after the other client's lease has ended:
/// behind its second request, which is granted, waits the other client's DEL.
TEST(Contention, AnAskMakesAPauseThatItMeetsEndInTime) {
  const std::string scenario =
      "[workload]\nrounds = 2\nlease = \"2s\"\nwork = [\"read\", \"hold 1200ms\", \"write\"]\n[[client]]\n"
      "name = \"client-2\"\nstart = \"100ms\"\n[network]\nlatency = \"100ms\"\ntimeout = \"1200ms\"\n[explore]\n"
      "attempts = 2\n[[explore.fault]]\nkind = \"pause\"\ntarget = \"servers\"\nfor = \"1500ms\"\n";
  const Exploration found = searched(tests::scenario(scenario, "set-ex-del"));
  EXPECT_TRUE(found.complete);
  EXPECT_TRUE(found.broken.contains(double_grant));
}

class Locks : public testing::TestWithParam<const char*> {};

TEST_P(Locks, BothEnginesSeeTheSame) {
  for (const char* fault : {"kind = \"pause\"\nfor = \"T/2\"\n", "kind = \"clock-jump\"\nby = [\"T/2\", \"-T/2\"]\n",
                            "kind = \"partition\"\nfor = \"T/2\"\n"}) {
    const Scenario written = tests::scenario(
        std::string("[workload]\nlease = \"2s\"\nattempts = 1\nwork = [\"read\", \"hold 1s\", \"write\"]\n[network]\n"
                    "timeout = \"500ms\"\n[explore]\n[[explore.fault]]\n") +
            fault,
        GetParam());
    const Bounds bounds = freely(written);
    const Scenario scenario = bounded(written, bounds, false);
    for (const bool reduce : {true, false}) {
      const Exploration slow = explore_by_reexecution(scenario, bounds, {.reduce = reduce});
      const Exploration fast = explore_stateful(scenario, bounds, {.reduce = reduce});
      EXPECT_TRUE(fast.complete);
      tests::expect_same_search(slow, fast);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Locks,
                         testing::Values("set-px-token", "set-ex-get-del", "getset-timestamp", "token-pubsub"),
                         [](const auto& one) {
                           std::string name(one.param);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace lockproof::sim::contention_test
