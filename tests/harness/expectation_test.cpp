// SPDX-License-Identifier: Apache-2.0
#include "harness/check/expectation.hpp"

#include <gtest/gtest.h>

namespace lockproof::check::expectation_test {
namespace {

Agreement met(Verdict found, const std::string& kind, const std::optional<std::string>& expected, bool stated = true) {
  std::optional<harness::Expectations> table;
  if (stated) table.emplace();
  if (expected) table->emplace("p", *expected);
  return overall(compare({Finding{"p", found, kind, "", {}}}, table));
}

TEST(Expectation, AnExpectedViolationIsMetByOneOfThatKind) {
  EXPECT_EQ(met(Verdict::violated, "outlived", "violated"), Agreement::yes);
  EXPECT_EQ(met(Verdict::violated, "outlived", "outlived"), Agreement::yes);
  EXPECT_EQ(met(Verdict::violated, "double-grant", "outlived"), Agreement::no);
  EXPECT_EQ(met(Verdict::not_found, "", "violated"), Agreement::no);
}

TEST(Expectation, OneCleanRunDoesNotShowThatSomethingHolds) {
  EXPECT_EQ(met(Verdict::not_found, "", "holds"), Agreement::unknown);
  EXPECT_EQ(met(Verdict::holds, "", "holds"), Agreement::yes);
  EXPECT_EQ(met(Verdict::violated, "", "holds"), Agreement::no);
}

TEST(Expectation, WithoutAnyAllPropertiesAreExpectedToHold) {
  for (const auto world : {&harness::Expect::run, &harness::Expect::explore, &harness::Expect::real}) {
    const auto expected = expected_of({}, world);
    ASSERT_TRUE(expected);
    EXPECT_EQ(expected->size(), names().size());
    EXPECT_EQ(overall(compare({{"owner-release", Verdict::not_found, "", "", {}}}, expected)), Agreement::unknown);
    EXPECT_EQ(overall(compare({{"owner-release", Verdict::violated, "", "", {}}}, expected)), Agreement::no);
  }
}

TEST(Expectation, AWorldThatItLeavesOutIsNotCompared) {
  harness::Scenario scenario;
  scenario.expect.run = harness::Expectations{{"p", "outlived"}};
  EXPECT_EQ(expected_of(scenario, &harness::Expect::run), scenario.expect.run);
  EXPECT_FALSE(expected_of(scenario, &harness::Expect::real));
  for (const Verdict found : {Verdict::holds, Verdict::not_found, Verdict::violated, Verdict::unknown}) {
    EXPECT_EQ(met(found, "", std::nullopt, false), Agreement::unstated);
  }
  EXPECT_EQ(exit_code_of(Agreement::unstated), exit_code::met);
  scenario.expect = {};
  scenario.expect.liveness = "livelock";
  EXPECT_FALSE(expected_of(scenario, &harness::Expect::run));
}

TEST(Expectation, WithoutAnyARunOfAProgramFailsByAViolationOnly) {
  harness::Scenario scenario;
  scenario.program.emplace();
  const std::vector<Finding> clean{{"owner-release", Verdict::not_found, "", "", {}}};
  const std::vector<Finding> broken{{"owner-release", Verdict::violated, "", "", {}}};
  for (const auto world : {&harness::Expect::run, &harness::Expect::real}) {
    EXPECT_EQ(overall(compare(clean, expected_of(scenario, world))), Agreement::yes);
    EXPECT_EQ(overall(compare(broken, expected_of(scenario, world))), Agreement::no);
  }
  EXPECT_EQ(overall(compare(broken, expected_of(scenario, &harness::Expect::explore))), Agreement::no);
}

TEST(Expectation, APropertyThatATableLeavesOutIsExpectedNotToBeFoundBroken) {
  EXPECT_EQ(met(Verdict::not_found, "", std::nullopt), Agreement::yes);
  EXPECT_EQ(met(Verdict::violated, "", std::nullopt), Agreement::no);
}

TEST(Expectation, UnknownMeetsOnlyUnknown) {
  EXPECT_EQ(met(Verdict::unknown, "", "unknown"), Agreement::yes);
  EXPECT_EQ(met(Verdict::unknown, "", "no-violation"), Agreement::unknown);
  EXPECT_EQ(met(Verdict::unknown, "", "violated"), Agreement::unknown);
  EXPECT_EQ(met(Verdict::violated, "", "unknown"), Agreement::no);
}

TEST(Expectation, WhatCannotBeSeenDecidesOnlyWhatAsksForMore) {
  Finding unseen{"p", Verdict::unknown, "", "", {}};
  unseen.judged = false;
  EXPECT_EQ(overall(compare({unseen}, harness::Expectations{{"q", "violated"}})), Agreement::yes);
  EXPECT_EQ(overall(compare({unseen}, harness::Expectations{{"p", "no-violation"}})), Agreement::yes);
  for (const char* expected : {"holds", "violated", "freed-early"}) {
    EXPECT_EQ(overall(compare({unseen}, harness::Expectations{{"p", expected}})), Agreement::unknown) << expected;
  }
  EXPECT_EQ(overall(compare({unseen}, harness::Expectations{{"p", "unknown"}})), Agreement::yes);
}

TEST(Expectation, AKindThatIsNotKnownIsNoOtherKind) {
  Finding kindless{"p", Verdict::violated, "", "", {}};
  EXPECT_EQ(overall(compare({kindless}, harness::Expectations{{"p", "orphaned"}})), Agreement::no);
  kindless.kind_known = false;
  EXPECT_EQ(overall(compare({kindless}, harness::Expectations{{"p", "orphaned"}})), Agreement::unknown);
  EXPECT_EQ(overall(compare({kindless}, harness::Expectations{{"p", "violated"}})), Agreement::yes);
  EXPECT_EQ(overall(compare({kindless}, harness::Expectations{{"p", "no-violation"}})), Agreement::no);
}

TEST(Expectation, TheWorstDecidesTheExitCode) {
  EXPECT_EQ(exit_code_of(Agreement::yes), 0);
  EXPECT_EQ(exit_code_of(Agreement::no), 1);
  EXPECT_EQ(exit_code_of(Agreement::unknown), 2);
  const std::vector<ComparedFinding> mixed{
      {{}, "", Agreement::unknown}, {{}, "", Agreement::no}, {{}, "", Agreement::yes}};
  EXPECT_EQ(overall(mixed), Agreement::no);
}

}  // namespace
}  // namespace lockproof::check::expectation_test
