// SPDX-License-Identifier: Apache-2.0
#include "harness/check/lateness.hpp"

#include <algorithm>

#include "tests/harness/history_table.hpp"

namespace lockproof::check::lateness_test {
namespace {

Finding violated(const char* property, const char* kind = "") { return {property, Verdict::violated, kind, "", {}}; }
Finding clean(const char* property) { return {property, Verdict::not_found, "", "", {}}; }

std::vector<ComparedFinding> compared(std::vector<Finding> findings, harness::Expectations expected = {}) {
  return compare(std::move(findings), expected);
}

/// All violations may be the machine's fault.
std::vector<ComparedFinding> excused(std::vector<ComparedFinding> all) {
  for (ComparedFinding& c : all) c.excused = c.finding.verdict == Verdict::violated;
  return all;
}

TEST(Lateness, OneRunIsTooLateAndAnotherIsNot) {
  harness::History history;
  EXPECT_FALSE(too_late(history)) << "a simulated run is never late";
  history.header.late_us = late_us_allowed;
  EXPECT_FALSE(too_late(history));
  history.header.late_us = late_us_allowed + 1;
  EXPECT_TRUE(too_late(history));
}

TEST(Lateness, MayExplainAViolationThatDidNotComeOrCameOtherwise) {
  const harness::Expectations expected{{"mutual-exclusion", "double-grant"}};
  EXPECT_TRUE(lateness_may_explain(compared({clean("mutual-exclusion")}, expected)));
  EXPECT_TRUE(lateness_may_explain(compared({violated("mutual-exclusion", "outlived")}, expected)));
}

TEST(Lateness, MayExplainAViolationThatDoesNotExceedIt) {
  EXPECT_TRUE(lateness_may_explain(excused(compared({violated("mutual-exclusion", "outlived")}))));
  EXPECT_FALSE(lateness_may_explain(compared({violated("mutual-exclusion", "outlived")})));
}

TEST(Lateness, DoesNotExplainARunOfWhichOneViolationExceedsIt) {
  auto all = excused(compared({violated("exercised"), violated("deadlock-freedom", "orphaned")}));
  EXPECT_TRUE(lateness_may_explain(all));
  all[1].excused = false;
  EXPECT_FALSE(lateness_may_explain(all));
}

TEST(Lateness, MayExplainMoreViolationsOfALockThatBreaksAnywayOnlyIfTheyDoNotExceedIt) {
  const harness::Expectations broken{{"mutual-exclusion", "double-grant"}};
  const std::vector<Finding> more{violated("mutual-exclusion", "double-grant"), violated("owner-release")};
  EXPECT_TRUE(lateness_may_explain(excused(compared(more, broken))));
  EXPECT_FALSE(lateness_may_explain(compared(more, broken)));
}

TEST(Lateness, IsWorthAnotherTryWhereSomethingWasMissedThatItMayExplain) {
  const auto outlived = excused(compared({violated("mutual-exclusion", "outlived")}));
  const auto clean_run = compare({clean("mutual-exclusion")}, harness::Expectations{{"mutual-exclusion", "holds"}});
  EXPECT_TRUE(worth_another_try(outlived, true));
  EXPECT_TRUE(worth_another_try(outlived, false))
      << "the machine's lateness is no violation of a scenario without [expect]";
  EXPECT_TRUE(worth_another_try(clean_run, true));
  EXPECT_FALSE(worth_another_try(clean_run, false)) << "a clean run never shows that all holds";
  EXPECT_FALSE(worth_another_try(compared({violated("mutual-exclusion", "double-grant")}), false));
  EXPECT_FALSE(worth_another_try(compared({clean("mutual-exclusion")}), true));
}

/// B wants a lock whose holder is dead, and has left a key that expires after so long, if at all.
Finding orphaned(int until_ms, const std::string& expiry, std::int64_t late_us, std::int64_t speedup = 1) {
  const harness::Scenario scenario = tests::scenario("[servers]\nredis = 1\n[judge]\nprogress = \"5ms\"\n");
  const std::string set = "0 A start\n 0 A attempt\n 1 redis-1 execute A 1 SET acquired " + expiry + "\n";
  const std::string rest = " 1 A strike crash\n 2 B start\n 2 B attempt\n 3 B busy\n ";
  harness::History history = tests::parsed(set + rest + std::to_string(until_ms) + " B attempt");
  history.header.late_us = late_us;
  history.header.speedup = speedup;
  const std::vector<Finding> findings = without_excused(judge_real(history, scenario));
  return *std::ranges::find(findings, "deadlock-freedom", &Finding::property);
}

TEST(Lateness, MayExplainABoundThatWasMissedByTenTimesAsMuchAndNoMore) {
  const std::string expiry = "renewed:20s";
  EXPECT_EQ(orphaned(8, expiry, 0).verdict, Verdict::violated);
  EXPECT_EQ(orphaned(8, expiry, 6'000).verdict, Verdict::unknown);
  EXPECT_EQ(orphaned(8, expiry, 6'000).kind, "");
  EXPECT_EQ(orphaned(400, expiry, 6'000).verdict, Verdict::violated);
  EXPECT_EQ(orphaned(400, expiry, 6'000).kind, "orphaned");
  EXPECT_EQ(orphaned(400, expiry, 6'000, 20).verdict, Verdict::unknown) << "1.2 s of the scenario's";
  EXPECT_EQ(orphaned(400, expiry, 60'000).verdict, Verdict::unknown);
}

TEST(Lateness, DoesNotExplainAKeyThatNeverExpires) {
  EXPECT_EQ(orphaned(8, "", 6'000).verdict, Verdict::violated);
  EXPECT_EQ(orphaned(8, "", 6'000).kind, "orphaned");
}

TEST(Lateness, LeavesUndecidedWhatWasMissed) {
  auto all = compared({clean("mutual-exclusion"), clean("owner-release")}, {{"mutual-exclusion", "double-grant"}});
  leave_undecided(all, true, "too busy");
  EXPECT_EQ(all[0].finding.verdict, Verdict::unknown);
  EXPECT_EQ(all[0].finding.what, "too busy");
  EXPECT_EQ(all[0].met, Agreement::unknown);
  EXPECT_EQ(all[1].met, Agreement::yes);
  EXPECT_EQ(overall(all), Agreement::unknown);
}

TEST(Lateness, LeavesNothingUndecidedThatExceedsIt) {
  auto all = excused(compared({violated("mutual-exclusion", "outlived"), violated("exercised")}));
  all[0].excused = false;
  leave_undecided(all, true, "too busy");
  EXPECT_EQ(all[0].finding.verdict, Verdict::violated);
  EXPECT_EQ(all[0].finding.kind, "outlived");
  EXPECT_EQ(all[0].met, Agreement::no);
  EXPECT_EQ(all[1].finding.verdict, Verdict::unknown);
  EXPECT_EQ(all[1].finding.what, "too busy");
  EXPECT_EQ(all[1].met, Agreement::unknown);
  EXPECT_EQ(overall(all), Agreement::no);
}

TEST(Lateness, LeavesCleanPropertiesAsTheyAreWhereTheScenarioStatesNothing) {
  for (const bool stated : {false, true}) {
    auto all = compare({clean("mutual-exclusion")}, harness::Expectations{{"mutual-exclusion", "holds"}});
    leave_undecided(all, stated, "too busy");
    EXPECT_EQ(all[0].finding.verdict, stated ? Verdict::unknown : Verdict::not_found);
    EXPECT_EQ(all[0].met, Agreement::unknown);
  }
}

TEST(Lateness, SaysNothingOfWhatNobodyWatched) {
  Finding unseen{"owner-release", Verdict::unknown, "", "not seen", {}};
  unseen.judged = false;
  auto all = compared({unseen}, {{"owner-release", "violated"}});
  leave_undecided(all, true, "too busy");
  EXPECT_EQ(all[0].met, Agreement::unknown);
  EXPECT_EQ(all[0].finding.what, "not seen");
}

TEST(Lateness, WhereNothingIsExpectedNothingIsMissed) {
  const std::vector<Finding> findings{violated("mutual-exclusion", "outlived"), clean("owner-release")};
  for (const bool may_be_the_reason : {false, true}) {
    auto all = compare(findings, std::nullopt);
    if (may_be_the_reason) all = excused(std::move(all));
    leave_undecided(all, false, "too busy");
    EXPECT_EQ(all[0].finding.verdict, may_be_the_reason ? Verdict::unknown : Verdict::violated);
    EXPECT_EQ(all[1].finding.verdict, Verdict::not_found);
    EXPECT_EQ(overall(all), Agreement::unstated);
  }
}

}  // namespace
}  // namespace lockproof::check::lateness_test
