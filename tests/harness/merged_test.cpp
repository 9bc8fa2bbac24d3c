// SPDX-License-Identifier: Apache-2.0
#include "harness/report/merged.hpp"

#include <gtest/gtest.h>

#include "harness/input_error.hpp"

namespace lockproof::harness::merged_test {
namespace {

FuzzPart part(std::uint64_t number, std::uint64_t of, std::uint64_t first) {
  FuzzPart part{"part-" + std::to_string(number), {}};
  part.report.strategy = "random";
  part.report.asked = 100;
  part.report.part = number;
  part.report.of = of;
  part.report.run.runs = 50;
  part.report.violated = {{"mutual-exclusion", "outlived", 3, first, "what run " + std::to_string(first) + " did", {}}};
  part.report.never_struck = {"crash", "part " + std::to_string(number) + " only"};
  return part;
}

std::string complaint(const std::vector<FuzzPart>& parts) {
  try {
    static_cast<void>(merged(parts));
  } catch (const InputError& e) {
    return e.what();
  }
  return "none";
}

TEST(Merged, AddsUpRunsAndKeepsTheFirstFinding) {
  const FuzzReport whole = merged({part(1, 2, 14), part(2, 2, 7)});
  EXPECT_EQ(whole.run.runs, 100U);
  EXPECT_EQ(whole.of, 1U);
  ASSERT_EQ(whole.violated.size(), 1U);
  EXPECT_EQ(whole.violated[0].runs, 6U);
  EXPECT_EQ(whole.violated[0].first, 7U);
  EXPECT_EQ(whole.violated[0].what, "what run 7 did");
  EXPECT_EQ(whole.never_struck, std::set<std::string>{"crash"}) << "what struck in one part has struck";
}

TEST(Merged, RefusesPartsThatDoNotMakeAWhole) {
  EXPECT_NE(complaint({part(1, 3, 1), part(3, 3, 2)}).find("missing: 2/3"), std::string::npos);
  EXPECT_NE(complaint({part(1, 2, 1), part(1, 2, 1)}).find("shard 1/2 is there already"), std::string::npos);
  FuzzPart other = part(2, 2, 1);
  other.report.run.seed = 9;
  EXPECT_NE(complaint({part(1, 2, 1), other}).find("its seed is 9"), std::string::npos);
  EXPECT_EQ(complaint({part(1, 2, 1), part(2, 2, 1)}), "none");
}

}  // namespace
}  // namespace lockproof::harness::merged_test
