// SPDX-License-Identifier: Apache-2.0
#include "harness/check/expectation.hpp"

#include <gtest/gtest.h>

namespace lockproof::check::expectation_test {
namespace {

Met met(Verdict found, const std::string& kind, const std::optional<std::string>& expected, bool stated = true) {
  std::optional<harness::Expectations> table;
  if (stated) table.emplace();
  if (expected) table->emplace("p", *expected);
  return overall(compare({Finding{"p", found, kind, "", {}}}, table));
}

TEST(Expectation, AnExpectedViolationIsMetByOneOfThatKind) {
  EXPECT_EQ(met(Verdict::violated, "outlived", "violated"), Met::yes);
  EXPECT_EQ(met(Verdict::violated, "outlived", "outlived"), Met::yes);
  EXPECT_EQ(met(Verdict::violated, "double-grant", "outlived"), Met::no);
  EXPECT_EQ(met(Verdict::not_found, "", "violated"), Met::no);
}

TEST(Expectation, OneCleanRunDoesNotShowThatSomethingHolds) {
  EXPECT_EQ(met(Verdict::not_found, "", "holds"), Met::unknown);
  EXPECT_EQ(met(Verdict::holds, "", "holds"), Met::yes);
  EXPECT_EQ(met(Verdict::violated, "", "holds"), Met::no);
}

TEST(Expectation, WithoutAnyAllPropertiesAreExpectedToHold) {
  for (const auto world : {&harness::Expect::run, &harness::Expect::explore, &harness::Expect::real}) {
    const auto expected = expected_of({}, world);
    ASSERT_TRUE(expected);
    EXPECT_EQ(expected->size(), names().size());
    EXPECT_EQ(overall(compare({{"owner-release", Verdict::not_found, "", "", {}}}, expected)), Met::unknown);
    EXPECT_EQ(overall(compare({{"owner-release", Verdict::violated, "", "", {}}}, expected)), Met::no);
  }
}

TEST(Expectation, AWorldThatItLeavesOutIsNotCompared) {
  harness::Scenario scenario;
  scenario.expect.run = harness::Expectations{{"p", "outlived"}};
  EXPECT_EQ(expected_of(scenario, &harness::Expect::run), scenario.expect.run);
  EXPECT_FALSE(expected_of(scenario, &harness::Expect::real));
  for (const Verdict found : {Verdict::holds, Verdict::not_found, Verdict::violated, Verdict::unknown}) {
    EXPECT_EQ(met(found, "", std::nullopt, false), Met::unstated);
  }
  EXPECT_EQ(exit_code_of(Met::unstated), exit_code::met);
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
    EXPECT_EQ(overall(compare(clean, expected_of(scenario, world))), Met::yes);
    EXPECT_EQ(overall(compare(broken, expected_of(scenario, world))), Met::no);
  }
  EXPECT_EQ(overall(compare(broken, expected_of(scenario, &harness::Expect::explore))), Met::no);
}

TEST(Expectation, APropertyThatATableLeavesOutIsExpectedNotToBeFoundBroken) {
  EXPECT_EQ(met(Verdict::not_found, "", std::nullopt), Met::yes);
  EXPECT_EQ(met(Verdict::violated, "", std::nullopt), Met::no);
}

TEST(Expectation, UnknownMeetsOnlyUnknown) {
  EXPECT_EQ(met(Verdict::unknown, "", "unknown"), Met::yes);
  EXPECT_EQ(met(Verdict::unknown, "", "no-violation"), Met::unknown);
  EXPECT_EQ(met(Verdict::unknown, "", "violated"), Met::unknown);
  EXPECT_EQ(met(Verdict::violated, "", "unknown"), Met::no);
}

TEST(Expectation, WhatCannotBeSeenDecidesOnlyWhatAsksForMore) {
  Finding unseen{"p", Verdict::unknown, "", "", {}};
  unseen.judged = false;
  EXPECT_EQ(overall(compare({unseen}, harness::Expectations{{"q", "violated"}})), Met::yes);
  EXPECT_EQ(overall(compare({unseen}, harness::Expectations{{"p", "no-violation"}})), Met::yes);
  for (const char* expected : {"holds", "violated", "freed-early"}) {
    EXPECT_EQ(overall(compare({unseen}, harness::Expectations{{"p", expected}})), Met::unknown) << expected;
  }
  EXPECT_EQ(overall(compare({unseen}, harness::Expectations{{"p", "unknown"}})), Met::yes);
}

TEST(Expectation, AKindThatIsNotKnownIsNoOtherKind) {
  Finding kindless{"p", Verdict::violated, "", "", {}};
  EXPECT_EQ(overall(compare({kindless}, harness::Expectations{{"p", "orphaned"}})), Met::no);
  kindless.kind_known = false;
  EXPECT_EQ(overall(compare({kindless}, harness::Expectations{{"p", "orphaned"}})), Met::unknown);
  EXPECT_EQ(overall(compare({kindless}, harness::Expectations{{"p", "violated"}})), Met::yes);
  EXPECT_EQ(overall(compare({kindless}, harness::Expectations{{"p", "no-violation"}})), Met::no);
}

TEST(Expectation, TheWorstDecidesTheExitCode) {
  EXPECT_EQ(exit_code_of(Met::yes), 0);
  EXPECT_EQ(exit_code_of(Met::no), 1);
  EXPECT_EQ(exit_code_of(Met::unknown), 2);
  const std::vector<Compared> mixed{{{}, "", Met::unknown}, {{}, "", Met::no}, {{}, "", Met::yes}};
  EXPECT_EQ(overall(mixed), Met::no);
}

}  // namespace
}  // namespace lockproof::check::expectation_test
