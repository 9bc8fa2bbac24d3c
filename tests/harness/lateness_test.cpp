// SPDX-License-Identifier: Apache-2.0
#include "harness/check/lateness.hpp"

#include <gtest/gtest.h>

namespace lockproof::check {
namespace {

Finding violated(const char* property, const char* kind = "") { return {property, Verdict::violated, kind, "", {}}; }
Finding clean(const char* property) { return {property, Verdict::not_found, "", "", {}}; }

std::vector<Compared> compared(std::vector<Finding> findings, harness::Expectations expected = {}) {
  return compare(std::move(findings), expected);
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

TEST(Lateness, MayExplainARunThatShowedNothingAndABoundThatWasMissed) {
  EXPECT_TRUE(lateness_may_explain(compared({violated("exercised")})));
  EXPECT_TRUE(lateness_may_explain(compared({violated("bounded-takeover")})));
}

TEST(Lateness, MayExplainAClientThatOutlivedItsDeadlineAndWhatCameOfIt) {
  EXPECT_TRUE(lateness_may_explain(compared({violated("mutual-exclusion", "outlived"), violated("resource-safety")})));
}

TEST(Lateness, IsNoExcuseForTwoEntitledHolders) {
  EXPECT_FALSE(lateness_may_explain(compared({violated("mutual-exclusion", "double-grant")})));
  EXPECT_FALSE(lateness_may_explain(compared({violated("mutual-exclusion", "double-grant"), violated("exercised")})));
  EXPECT_FALSE(lateness_may_explain(compared({violated("resource-safety")})));
  EXPECT_FALSE(lateness_may_explain(compared({violated("mutual-exclusion", "outlived"), violated("owner-release")})));
}

TEST(Lateness, MayExplainThatALockWhichBreaksAnywayBrokeInMoreWays) {
  EXPECT_TRUE(lateness_may_explain(compared({violated("mutual-exclusion", "double-grant"), violated("owner-release")},
                                            {{"mutual-exclusion", "double-grant"}})));
  EXPECT_FALSE(lateness_may_explain(compared({violated("owner-release")}, {{"mutual-exclusion", "unknown"}})));
}

TEST(Lateness, IsWorthAnotherTryWhereSomethingWasMissedThatItMayExplain) {
  const auto outlived = compared({violated("mutual-exclusion", "outlived")});
  const auto clean_run = compare({clean("mutual-exclusion")}, harness::Expectations{{"mutual-exclusion", "holds"}});
  EXPECT_TRUE(worth_another_try(outlived, true));
  EXPECT_TRUE(worth_another_try(outlived, false))
      << "the machine's lateness is no violation of a scenario without [expect]";
  EXPECT_TRUE(worth_another_try(clean_run, true));
  EXPECT_FALSE(worth_another_try(clean_run, false)) << "a clean run never shows that all holds";
  EXPECT_FALSE(worth_another_try(compared({violated("mutual-exclusion", "double-grant")}), false));
  EXPECT_FALSE(worth_another_try(compared({clean("mutual-exclusion")}), true));
}

TEST(Lateness, LeavesUndecidedWhatWasMissed) {
  auto all = compared({clean("mutual-exclusion"), clean("owner-release")}, {{"mutual-exclusion", "double-grant"}});
  leave_undecided(all, "too busy");
  EXPECT_EQ(all[0].finding.verdict, Verdict::unknown);
  EXPECT_EQ(all[0].finding.what, "too busy");
  EXPECT_EQ(all[0].met, Met::unknown);
  EXPECT_EQ(all[1].met, Met::yes);
  EXPECT_EQ(overall(all), Met::unknown);
}

TEST(Lateness, SaysNothingOfWhatNobodyWatched) {
  Finding unseen{"owner-release", Verdict::unknown, "", "not seen", {}};
  unseen.judged = false;
  auto all = compared({unseen}, {{"owner-release", "violated"}});
  leave_undecided(all, "too busy");
  EXPECT_EQ(all[0].met, Met::unknown);
  EXPECT_EQ(all[0].finding.what, "not seen");
}

TEST(Lateness, WhereNothingIsExpectedNothingIsMissed) {
  auto all = compare({violated("mutual-exclusion", "outlived"), clean("owner-release")}, std::nullopt);
  leave_undecided(all, "too busy");
  EXPECT_EQ(all[0].finding.verdict, Verdict::violated);
  EXPECT_EQ(all[1].finding.verdict, Verdict::not_found);
  EXPECT_EQ(overall(all), Met::unstated);
}

TEST(Lateness, AViolationStaysAViolation) {
  auto all = compared({violated("mutual-exclusion", "outlived"), violated("exercised")});
  leave_undecided(all, "too busy");
  EXPECT_EQ(all[0].finding.verdict, Verdict::violated);
  EXPECT_EQ(all[0].finding.kind, "outlived");
  EXPECT_EQ(all[0].finding.what, "too busy");
  EXPECT_EQ(all[1].finding.verdict, Verdict::unknown);
  EXPECT_EQ(overall(all), Met::no);
}

}  // namespace
}  // namespace lockproof::check
