// SPDX-License-Identifier: Apache-2.0
// Every mutant is caught by its scenario, and the algorithm as it is, in the same scenario, is not: so it is the
// mutation that is caught.
#include <gtest/gtest.h>

#include "search/fuzz/fuzz.hpp"
#include "tests/fixtures.hpp"
#include "tests/mutants/mutating_ports.hpp"

namespace lockproof::tests::mutant_test {
namespace {

bool caught(const harness::Scenario& s, const std::string& property) {
  const sim::FuzzResult found = sim::fuzz(s, {.runs = 60});
  return std::ranges::any_of(found.violated, [&](const auto& one) { return one.first.first == property; });
}

class Mutants : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(All, Mutants, testing::Range<std::size_t>(0, mutants().size()), [](const auto& i) {
  std::string name = mutants()[i.param].name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(Mutants, IsCaughtAndItsOriginalIsNot) {
  const Mutant& mutant = mutants()[GetParam()];
  harness::Scenario s = tests::scenario(mutant.scenario, mutant.algorithm);
  EXPECT_FALSE(caught(s, mutant.caught_by)) << "the algorithm as it is";
  const Algorithm mutated_algorithm = mutated(mutant);
  s.algorithm = &mutated_algorithm;
  EXPECT_TRUE(caught(s, mutant.caught_by)) << "the mutant";
}

TEST(Mutants, AreAtLeastTwenty) { EXPECT_GE(mutants().size(), 20u); }

}  // namespace
}  // namespace lockproof::tests::mutant_test
