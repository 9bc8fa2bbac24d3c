// SPDX-License-Identifier: Apache-2.0
// The simulated Redis against a real redis-server: they agree, and a wrong rule would be noticed.
#include "conformance/redis/conformance.hpp"

#include <gtest/gtest.h>

#include "conformance/redis/coverage.hpp"
#include "conformance/redis/generator.hpp"
#include "conformance/redis/reference.hpp"
#include "sim/services/redis/commands.hpp"
#include "tests/conformance/planted.hpp"

namespace lockproof::conformance::redis::conformance_test {
namespace {

void expect_tried(const Report& report, bool CoverageItem::*here) {
  EXPECT_EQ(report.commands, 100'000u);
  expect_no_difference(report);
  for (const CoverageItem& tried : to_be_tried()) {
    EXPECT_EQ(report.count_of("tried", std::string(tried.name)) > 0, tried.*here) << tried.name;
  }
}

TEST(Conformance, FindsNoDifferenceAndTriesEverythingThatIsListed) {
  expect_tried(compare_node({.commands = 100'000}), &CoverageItem::one);
}

TEST(Conformance, FindsNoDifferenceOfSeveralNodesAndTriesEverythingThatIsListed) {
  expect_tried(compare_nodes({.commands = 100'000}), &CoverageItem::several);
}

TEST(Conformance, MakesADifferenceOfSeveralNodesSmall) {
  const Report report = compare_nodes({.mutant = "replica-shows-expired"});
  expect_small_difference(report, 8);
  EXPECT_NE(report.difference->test.find("EXPECT_EQ(nodes.run("), std::string::npos) << report.difference->test;
}

TEST(Conformance, SendsEveryCommandOfTheTable) {
  const auto drawn = drawn_verbs();
  std::vector<std::string> known;
  for (const auto& rule : sim::redis::command_table()) known.emplace_back(rule.verb);
  EXPECT_EQ(drawn, known);
}

TEST(Conformance, ItsPageTellsOfEveryCommand) { EXPECT_EQ(reference_page().find("| ? |"), std::string::npos); }

TEST(Conformance, DrawsTheSameFromTheSameSeed) {
  const auto draw = [](std::uint64_t seed) {
    Generator generator(seed);
    ModelSide model;
    Steps steps;
    for (int i = 0; i < 500; ++i) {
      steps.push_back(generator.command(model, i % connections));
      Outcome outcome;
      model.run(steps.back(), outcome);
    }
    return shown(steps);
  };
  EXPECT_EQ(draw(7), draw(7));
  EXPECT_NE(draw(7), draw(8));
}

std::vector<MutantName> all_mutants() {
  std::vector<MutantName> all = mutant_names_of_node();
  const std::vector<MutantName> more = mutant_names_of_nodes();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(Conformance, MutantsHaveNamesOfTheirOwn) { expect_names_of_their_own(all_mutants()); }

TEST(Conformance, MakesADifferenceSmall) {
  // A rule that shows in replies alone: two steps are needed, one that stores a key and one that names it twice.
  const Report report = compare_node({.mutant = "exists-is-a-flag"});
  expect_small_difference(report, 3);
  EXPECT_NE(report.difference->test.find("EXPECT_EQ(node.execute("), std::string::npos) << report.difference->test;
}

class Mutated : public testing::TestWithParam<MutantName> {};

/// What one of these rules decides is so rare that one seed does not draw it.
TEST_P(Mutated, IsCaught) {
  const bool of_node = std::ranges::count(mutant_names_of_node(), GetParam().name, &MutantName::name) > 0;
  for (const std::uint64_t seed : {1u, 2u}) {
    const Options options{.commands = 300'000, .seed = seed, .mutant = std::string(GetParam().name), .shrinks = false};
    if ((of_node ? compare_node(options) : compare_nodes(options)).difference) return;
  }
  FAIL() << "not noticed: " << GetParam().rule;
}

INSTANTIATE_TEST_SUITE_P(Rules, Mutated, testing::ValuesIn(all_mutants()), by_its_name);

}  // namespace
}  // namespace lockproof::conformance::redis::conformance_test
