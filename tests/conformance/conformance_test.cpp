// SPDX-License-Identifier: Apache-2.0
// The simulated node against a real redis-server: they agree, and a wrong rule would be noticed.
#include "conformance/redis/conformance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "conformance/redis/generator.hpp"
#include "conformance/redis/mutants.hpp"
#include "conformance/redis/reference.hpp"
#include "conformance/redis/sides.hpp"
#include "sim/services/redis/commands.hpp"
#include "tests/conformance/planted.hpp"

namespace lockproof::conformance::conformance_test {
namespace {

std::string shown(const Report& report) {
  if (!report.difference) return "";
  const Difference& d = *report.difference;
  return conformance::shown(d.steps) + d.what + "\nsimulated: " + d.simulated + "\nreal: " + d.real + "\n" + d.test;
}

TEST(Conformance, FindsNoDifferenceAndTriesEverythingThatIsListed) {
  const Report report = compare({.commands = 200'000});
  EXPECT_FALSE(report.difference) << shown(report);
  EXPECT_EQ(report.one.commands, 100'000u);
  EXPECT_EQ(report.several.commands, 100'000u);
  for (const Tried& tried : to_be_tried()) {
    EXPECT_EQ(report.one.coverage.of(tried.name) > 0, tried.one) << tried.name;
    EXPECT_EQ(report.several.coverage.of(tried.name) > 0, tried.several) << tried.name;
  }
}

TEST(Conformance, MakesADifferenceOfSeveralNodesSmall) {
  const Report report = compare({.commands = 20'000, .mutant = mutant_named("replica-shows-expired")});
  ASSERT_TRUE(report.difference);
  EXPECT_LE(report.difference->steps.size(), 8u) << shown(report);
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
    return conformance::shown(steps);
  };
  EXPECT_EQ(draw(7), draw(7));
  EXPECT_NE(draw(7), draw(8));
}

TEST(Conformance, MutantsHaveNamesOfTheirOwn) { expect_names_of_their_own(mutants()); }

TEST(Conformance, MakesADifferenceSmall) {
  // A rule that shows in replies alone: two steps are needed, one that stores a key and one that names it twice.
  const Report report = compare({.commands = 20'000, .seed = 1, .mutant = mutant_named("exists-is-a-flag")});
  ASSERT_TRUE(report.difference);
  EXPECT_LE(report.difference->steps.size(), 3u) << shown(report);
  EXPECT_NE(report.difference->test.find("EXPECT_EQ(node.execute("), std::string::npos) << report.difference->test;
}

class Mutated : public testing::TestWithParam<const Mutant*> {};

/// What one of these rules decides is so rare that one seed does not draw it.
TEST_P(Mutated, IsCaught) {
  for (const std::uint64_t seed : {1u, 2u}) {
    if (compare({.commands = 300'000, .seed = seed, .mutant = GetParam(), .shrinks = false}).difference) return;
  }
  FAIL() << "not noticed: " << GetParam()->rule;
}

std::vector<const Mutant*> all() {
  std::vector<const Mutant*> list;
  for (const Mutant& mutant : mutants()) list.push_back(&mutant);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Rules, Mutated, testing::ValuesIn(all()), [](const auto& tested) {
  std::string name(tested.param->name);
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace lockproof::conformance::conformance_test
