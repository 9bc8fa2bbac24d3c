// SPDX-License-Identifier: Apache-2.0
// The zone engine: edges by arithmetic, to the microsecond; counterexamples in numbers; what
// it refuses.
#include "search/zones/zone_engine.hpp"

#include <gtest/gtest.h>

#include "harness/input_error.hpp"
#include "search/core/contention.hpp"
#include "search/results/counterexample.hpp"
#include "search/search.hpp"
#include "search/verdicts.hpp"
#include "tests/search/zones/fixture.hpp"

namespace lockproof::zones {
namespace {

TEST(ZoneEngine, HoldsWhereTheWorkEndsBeforeTheLease) {
  const sim::Exploration found = explored(Setting{.faults = 0}.scenario());
  EXPECT_TRUE(found.complete) << found.stopped;
  EXPECT_EQ(kinds_of(found), Kinds());
  EXPECT_TRUE(found.acquired);
  EXPECT_TRUE(found.contended);
}

TEST(ZoneEngine, FindsTheHolderThatIsPausedBeyondItsLease) {
  const sim::Exploration found = explored(Setting{.pause = milliseconds(10001)}.scenario());
  EXPECT_TRUE(found.complete) << found.stopped;
  EXPECT_EQ(kinds_of(found, "mutual-exclusion"), Kinds({{{"mutual-exclusion", "outlived"}, 1}}));
  EXPECT_EQ(found.of_budget.size(), 2U) << "each client can be paused";
}

struct Edge {
  std::string name;
  Setting setting;  // its lease is left out
};

class ZoneEdges : public testing::TestWithParam<Edge> {};

/// A holder leaves at the latest so long after its command has run: the reply, the pause, two accesses with two
/// messages each, and the hold. A rival enters at the earliest a lease and a reply after it. So the least lease that is
/// safe is work + pause + 5 x the greatest latency - the least one.
TEST_P(ZoneEdges, AreThoseOfArithmetic) {
  Setting setting = GetParam().setting;
  const Duration pauses = setting.faults * setting.pause;
  setting.lease = setting.work + pauses + 5 * setting.most_latency - setting.least_latency;
  const sim::Exploration safe = explored(setting.scenario());
  EXPECT_TRUE(safe.complete) << safe.stopped;
  EXPECT_EQ(kinds_of(safe, "mutual-exclusion"), Kinds());
  Setting longer = setting;  // by a microsecond: then the server's clock must be at the very end of a millisecond
  (setting.faults > 0 ? longer.pause : longer.work) += Duration(1);
  const Kinds outlived{{{"mutual-exclusion", "outlived"}, setting.faults}};
  EXPECT_EQ(kinds_of(explored(longer.scenario()), "mutual-exclusion"), outlived);
  setting.lease -= milliseconds(1);
  EXPECT_EQ(kinds_of(explored(setting.scenario()), "mutual-exclusion"), outlived);
}

INSTANTIATE_TEST_SUITE_P(
    All, ZoneEdges,
    testing::Values(
        Edge{"review", {.work = seconds(40), .pause = seconds(3)}},
        Edge{"review_with_a_range", {.work = seconds(40), .most_latency = milliseconds(200), .pause = seconds(3)}},
        Edge{"from_no_latency", {.work = seconds(40), .least_latency = {}, .most_latency = milliseconds(200)}},
        Edge{"without_faults",
             {.work = seconds(6), .least_latency = {}, .most_latency = milliseconds(37), .faults = 0}},
        Edge{"one_latency", {.least_latency = milliseconds(50), .most_latency = milliseconds(50)}},
        Edge{"two_pauses", {.least_latency = {}, .most_latency = milliseconds(5), .pause = seconds(2), .faults = 2}},
        Edge{"three_clients", {.least_latency = {}, .most_latency = milliseconds(5), .clients = 3}}),
    [](const auto& one) { return one.param.name; });

TEST(ZoneEngine, ShowsAViolationInNumbersThatARunConfirms) {
  Setting setting{.lease = milliseconds(43999), .work = seconds(40)};
  setting.least_latency = {};
  setting.most_latency = milliseconds(200);
  search::Question question{.scenario = setting.scenario(), .bounds = *setting.scenario().explore};
  question.engine = search::Engine::zones;
  search::Answer answer = search::answer(question, {});
  search::enact_all(answer, question, {});
  ASSERT_TRUE(answer.counterexamples.contains({"mutual-exclusion", "outlived"}));
  const sim::Counterexample& shown = answer.counterexamples.at({"mutual-exclusion", "outlived"});
  ASSERT_EQ(shown.scenario.faults.size(), 1U);
  EXPECT_EQ(shown.scenario.faults.front().lasts, seconds(3)) << "nothing less is enough here";
  bool breaks = false;
  for (const check::Finding& finding : check::judge(tests::run(shown.scenario), shown.scenario)) {
    breaks |= finding.property == "mutual-exclusion" && finding.kind == "outlived";
  }
  EXPECT_TRUE(breaks);
  for (const check::Finding& finding : search::findings_of(answer)) {
    const bool is_judged = answer.found.judged.contains(finding.property) || finding.property == "exercised";
    EXPECT_TRUE(is_judged || finding.verdict != check::Verdict::holds) << finding.property;
  }
}

void expect_points_to_agree(const Setting& setting, const std::string& more = "") {
  harness::Scenario scenario = setting.scenario(more);
  for (harness::Fault& form : scenario.explore->budget.front().forms) form.least.reset();
  (void)expect_agreement(scenario, setting.algorithm + " " + harness::to_text(setting.pause) + " " +
                                       std::to_string(setting.faults) + " " + more);
}

TEST(ZoneEngine, AgreesWithTheOtherEngines) {
  for (const std::string lock : {"set-px-token", "set-ex-del", "set-ex-get-del", "setnx-del", "setnx-expire-del"}) {
    for (const Duration pause : {Duration(3'995'000), Duration(3'997'000), Duration(seconds(11))}) {
      for (const int faults : {0, 1, 2}) expect_points_to_agree({.pause = pause, .faults = faults, .algorithm = lock});
    }
  }
}

TEST(ZoneEngine, AgreesOnTokensOfTheResource) {
  for (const std::string fencing : {"none", "writes", "all"}) {
    for (const Duration pause : {Duration(5'000'000), Duration(seconds(11))}) {
      for (const std::string lock : {"fenced-token", "set-px-thread-id"}) {
        expect_points_to_agree({.pause = pause, .algorithm = lock}, "[resource]\nfencing = \"" + fencing + "\"\n");
      }
    }
  }
}

TEST(ZoneEngine, AgreesOnClientsThatLeaveAtTheirDeadline) {
  const std::string leaves = "stop_on = \"deadline\"\n";
  for (const std::string lock : {"set-px-token", "set-ex-get-del", "memcached-add-cas"}) {
    for (const Duration work : {Duration(6'000'000), Duration(9'996'000), Duration(seconds(12))}) {
      for (const Duration pause : {Duration(3'995'000), Duration(seconds(11))}) {
        for (const int faults : {0, 1}) {
          const Setting setting{.work = work, .pause = pause, .faults = faults, .algorithm = lock};
          expect_points_to_agree(setting, leaves);
        }
      }
    }
  }
}

TEST(ZoneEngine, LeavesOpenADeadlineOfAClockThatCountsSuspensions) {
  const auto searched = [](const std::string& more) {
    return explored(harness::parse_scenario("boot.toml",
                                            "[algorithm]\nfile = \"" LOCKPROOF_SOURCE "/tests/search/zones/boot.lua\"\n"
                                            "[workload]\nclients = 2\nlease = \"10s\"\nwork = [\"hold 6s\"]\n" +
                                                more + "[explore]\nfailed_attempts = 1\nmax_faults = 0\n"));
  };
  const sim::Exploration open = searched("stop_on = \"deadline\"\n");
  EXPECT_FALSE(open.complete);
  EXPECT_NE(open.stopped.find("at a deadline of a clock that counts suspensions"), std::string::npos) << open.stopped;
  EXPECT_TRUE(searched("").complete);
}

/// The double grant needs a phase within the server's millisecond that points do not have.
TEST(EveryTiming, IsKeptBesideAFaultThatZonesDoNotKnow) {
  const std::string one =
      "[workload]\nclients = 2\nlease = \"6ms\"\nwork = [\"read\", \"hold 3ms\", \"write\"]\nstop_on = \"deadline\"\n"
      "[network]\nlatency = \"1ms\"\ntimeout = \"14ms\"\n[explore]\nattempts = 1\nmax_faults = 1\n"
      "[[explore.fault]]\nkind = \"clock-jump\"\ntarget = \"servers\"\nby = [\"+3ms\", \"-3ms\"]\n";
  const std::string another = "[[explore.fault]]\nkind = \"client-pause\"\nfor = \"1ms\"\n";
  for (const std::string& more : {std::string(), another}) {
    const search::Answer found = answered(tests::scenario(one + more, "set-px-token"), search::Engine::either);
    EXPECT_TRUE(found.found.broken.contains({exclusion_name, "double-grant"})) << more;
  }
}

TEST(EveryTiming, IsSearchedByDefault) {
  const std::string points = "[network]\nlatency = [\"0ms\", \"2ms\"]\n";  // the grid between them is searched
  const std::string clients = "[workload]\nclients = 2\nlease = \"10s\"\nwork = [\"read\", \"hold 6s\", \"write\"]\n";
  const std::string budget = "max_faults = 1\n[[explore.fault]]\nkind = \"break-connection\"\n";
  const harness::Scenario scenario =
      tests::scenario(points + clients + "[explore]\nfailed_attempts = 2\n" + budget, "set-px-token");
  const search::Answer answer = answered(scenario, search::Engine::either);
  EXPECT_TRUE(answer.found.every_timing);
  EXPECT_EQ(verdict(answer, "resource-safety"), "violated");
  EXPECT_EQ(verdict(answer, "mutual-exclusion"), "holds");
}

std::string refused(const std::string& more, const std::string& algorithm = "set-px-token") {
  const harness::Scenario scenario = tests::scenario(more, algorithm);
  const harness::Bounds bounds = scenario.explore.value_or(harness::Bounds{});
  return why_unsuited(sim::bounded(scenario, bounds, false), bounds);
}

TEST(ZoneEngine, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(refused("[workload]\nclients = 2\n"), "");
  EXPECT_EQ(refused("[workload]\nclients = 2\n[servers]\nredis = 3\n", "redlock"), "more than one server");
  EXPECT_EQ(refused("[workload]\nclients = 2\n", "etcd-mutex"), "the locks of this service");
  EXPECT_EQ(refused("[workload]\nclients = 2\n", "memcached-add"), "");
  const std::string twice =
      "[explore]\nmax_faults = 2\n[[explore.fault]]\nkind = \"suspend\"\ntarget = \"servers\"\n"
      "for = \"1s\"\nmost = 2\n";
  EXPECT_EQ(refused(twice), "");
  EXPECT_EQ(refused(twice, "memcached-add"), "several suspensions of one host") << "its clock counts the leases";
  EXPECT_EQ(refused("[workload]\nstop_on = \"loss\"\n"), "a client that leaves as its lock is lost");
  const std::string crash = "[[fault]]\nkind = \"crash\"\ntarget = \"client-1\"\nwhen = ";
  EXPECT_EQ(refused(crash + "\"client-1 enters\"\n"), "");
  EXPECT_EQ(refused(crash + "\"client-1 before SET free\"\n"), "a fault that is placed by whose the lock is");
  const std::string end = "[[fault]]\nkind = \"break-connection\"\ntarget = \"client-1\"\npeer = \"redis-1\"\nwhen = ";
  EXPECT_EQ(refused(end + "\"redis-1 after SET of client-1\"\n"), "");
  EXPECT_EQ(refused(end + "\"client-2 enters\"\n"), "a connection that breaks at an event of another host");
  const std::string rate = "[[fault]]\nkind = \"clock-rate\"\ntarget = \"client-1\"\nrate = \"-1%\"\nat = ";
  const std::string suspend = "[explore]\nmax_faults = 2\n[[explore.fault]]\nkind = \"suspend\"\nfor = \"1s\"\n";
  EXPECT_EQ(refused(rate + "\"0s\"\n"), "");
  EXPECT_EQ(refused(rate + "\"1s\"\n"), "a rate of clocks that changes in the middle of a run");
  EXPECT_EQ(refused(rate + "\"0s\"\nfor = \"1s\"\n"), "a rate of clocks that changes in the middle of a run");
  EXPECT_EQ(refused(suspend), "");
  EXPECT_EQ(refused(suspend + "most = 2\n"), "several suspensions of one host");
  EXPECT_EQ(refused("[explore]\n[[explore.fault]]\nkind = \"client-pause\"\nfor = \"1s\"\n"),
            "a fault of kind client-pause");
  EXPECT_EQ(refused("[explore]\ncontention = \"as-written\"\n"), "");
  EXPECT_EQ(refused("[workload]\nwork = [\"hold 48h\"]\n"), "durations of more than a day");
  EXPECT_EQ(refused("[workload]\nmode = \"shared\"\n", "redisson-read-write"), "shared clients");
  EXPECT_EQ(refused("[workload]\nattempt_timeout = \"1s\"\n"), "attempts that their caller ends");
  EXPECT_EQ(refused("permits = 2\n", "redisson-semaphore"), "a lock with several permits");
}

/// Points of a range are not the range: what the others would say of it is nothing.
TEST(ZoneEngine, OthersRefuseRanges) {
  Setting ranges, pauses;
  ranges.most_latency = milliseconds(2);
  ranges.faults = 0;
  for (const Setting& setting : {ranges, pauses}) {
    const harness::Scenario scenario = setting.scenario();
    for (const search::Engine engine : {search::Engine::stateful, search::Engine::reexecution}) {
      search::Question question{.scenario = scenario, .bounds = *scenario.explore};
      question.engine = engine;
      EXPECT_THROW((void)search::answer(question, {}), harness::InputError);
    }
  }
}

/// What only the code shows ends the search, and nothing is claimed.
TEST(ZoneEngine, ClaimsNothingOfALockThatItCannotFollow) {
  for (const std::string lock : {"getset-timestamp", "guard-thread", "redisson"}) {
    const sim::Exploration found = explored(Setting{.algorithm = lock}.scenario());
    EXPECT_FALSE(found.complete) << lock;
    EXPECT_NE(found.unrepresentable, "") << lock;
  }
}

}  // namespace
}  // namespace lockproof::zones
