// SPDX-License-Identifier: Apache-2.0
// once-per-period, on histories made by hand, and on the job that runs on several servers.
#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/harness/history_table.hpp"

namespace lockproof::check::period_check_test {
namespace {

Finding judged(const std::string& table, int rounds = 2) {
  return once_per_period(
      tests::parsed(table),
      tests::scenario("[workload]\nclients = 3\nperiod = \"1min\"\nrounds = " + std::to_string(rounds) + "\n"));
}

const std::string a_works = R"(
    0 A start
    0 A granted 10s
    0 A enter
    5 A exit)";

TEST(OncePerPeriod, RejectsWorkThatBeginsTwiceThoughNobodyElseIsInside) {
  const Finding f = judged(a_works + R"(
    9 B start
    9 B granted 10s
    9 B enter)");
  EXPECT_EQ(f.verdict, Verdict::violated);
  EXPECT_EQ(f.events, (std::vector<std::size_t>{2, 6}));
  EXPECT_EQ(f.what, "B at 0.009 s began the work of period 1, which A at 0.000 s had begun");
}

TEST(OncePerPeriod, AcceptsWhoFindsTheLockTaken) {
  EXPECT_EQ(judged(a_works + "\n 9 B start\n 9 B busy\n 9 B gave-up").verdict, Verdict::not_found);
}

TEST(OncePerPeriod, CountsTheRoundsOfEachClient) {
  const std::string next = a_works + "\n 60 B start\n 60 B busy\n 60 B gave-up\n 70 ";
  EXPECT_EQ(judged(next + "B start\n 70 B enter").verdict, Verdict::not_found);  // its second period
  EXPECT_EQ(judged(next + "C start\n 70 C enter").verdict, Verdict::violated);   // its first
  EXPECT_EQ(judged(next + "A start\n 70 A enter\n 71 B start\n 71 B enter").verdict, Verdict::violated);
}

TEST(OncePerPeriod, WhoeverBeganItAndWhateverBecameOfIt) {
  EXPECT_EQ(judged("0 A start\n 0 A enter\n 1 A strike crash\n 9 B start\n 9 B enter").verdict, Verdict::violated);
}

TEST(OncePerPeriod, WhoHasItsLastPeriodBehindItDoesNotKeepEarlierOnesInMind) {
  const std::string both = "0 A start\n 0 A enter\n 1 A finished\n 2 B start\n 2 B gave-up\n";
  EXPECT_EQ(judged(both + "3 C start\n 3 C enter", 1).verdict, Verdict::violated);
}

TEST(OncePerPeriod, IsJudgedOnlyWhereThereIsAPeriod) {
  const Finding f = tests::judged(tests::parsed(a_works), tests::scenario(""), "once-per-period");
  EXPECT_FALSE(f.judged);
  EXPECT_EQ(f.what, "the scenario states no bound ([workload] period)");
}

/// Three servers fire a nightly job that takes 5 s; what tells them apart are their clocks, or when they get to it.
const std::string nightly =
    "[workload]\nclients = 3\nlease = \"60s\"\nattempts = 1\nperiod = \"24h\"\nwork = [\"read\", \"hold 5s\", "
    "\"write\"]\n";

TEST(OncePerPeriod, OfAJobOnThreeServersIsBrokenByWhoComesAfterTheWork) {
  for (const std::string key : {"start = \"", "clock = \"-"}) {
    const auto with = [&](const std::string& third) {
      const harness::Scenario s = tests::scenario(nightly + "[[client]]\nname = \"client-2\"\n" + key + "3s\"\n" +
                                                  "[[client]]\nname = \"client-3\"\n" + key + third + "\"\n");
      const Verdict once = tests::judged(tests::run(s), s, "once-per-period").verdict;
      for (const auto explore : {sim::explore_stateful, sim::explore_by_reexecution}) {
        const sim::Exploration found = explore(sim::bounded(s, {}, false), {}, {});
        EXPECT_TRUE(found.complete);
        EXPECT_EQ(found.broken.contains({"once-per-period", ""}), once == Verdict::violated);
      }
      return once;
    };
    EXPECT_EQ(with("12s"), Verdict::violated);
    EXPECT_EQ(with("5s"), Verdict::not_found);
  }
}

}  // namespace
}  // namespace lockproof::check::period_check_test
