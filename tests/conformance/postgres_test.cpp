// SPDX-License-Identifier: Apache-2.0
// The simulated PostgreSQL against a real one: they agree, and a wrong rule would be noticed.
#include <gtest/gtest.h>

#include <string>

#include "conformance/postgres/conformance.hpp"
#include "conformance/postgres/generator.hpp"
#include "tests/conformance/planted.hpp"

namespace lockproof::conformance::postgres::postgres_test {
namespace {

TEST(ConformancePostgres, FindsNoDifferenceAndSeesEveryReply) {
  const Report report = compare({.commands = 20'000});
  expect_no_difference(report);
  EXPECT_GE(report.commands, 20'000u);
  EXPECT_GE(report.count_of(counted, "statements that waited"), 100u);
  EXPECT_GE(report.count_of(counted, "connections that ended"), 100u);
  expect_rows(report, answered,
              {"begin: BEGIN",
               "commit: COMMIT",
               "rollback: ROLLBACK",
               "try-advisory: t",
               "try-advisory: f",
               "try-advisory-xact: t",
               "try-advisory-xact: f",
               "unlock-advisory: t",
               "unlock-advisory: f",
               "holds-advisory: t",
               "holds-advisory: f",
               "take-row: a number",
               "take-row: nil",
               "take-row: it waits",
               "give-row: a number",
               "give-row: nil",
               "give-row: it waits",
               "next-fence: a number",
               "next-fence: it waits",
               "take-row-client-time: a number",
               "take-row-client-time: nil",
               "give-row-client-time: a number",
               "give-row-client-time: nil"});
}

TEST(ConformancePostgres, DrawsTheSameFromTheSameSeed) {
  const auto draw = [](std::uint64_t seed) {
    Generator generator(seed);
    Steps steps;
    for (int i = 0; i < 500; ++i) steps.push_back(generator.next({}, i));
    return postgres::shown(steps);
  };
  EXPECT_EQ(draw(7), draw(7));
  EXPECT_NE(draw(7), draw(8));
}

TEST(ConformancePostgres, MakesADifferenceSmall) {
  const Report report = compare({.mutant = "is-not-counted"});
  expect_small_difference(report, 6);
}

TEST(ConformancePostgres, MutantsHaveNamesOfTheirOwn) { expect_names_of_their_own(mutant_names()); }

class PlantedInPostgres : public testing::TestWithParam<MutantName> {};

TEST_P(PlantedInPostgres, IsCaught) {
  const Report report = compare({.mutant = std::string(GetParam().name), .shrinks = false});
  EXPECT_TRUE(report.difference) << "not noticed: " << GetParam().rule;
}

INSTANTIATE_TEST_SUITE_P(Rules, PlantedInPostgres, testing::ValuesIn(mutant_names()), by_its_name);

}  // namespace
}  // namespace lockproof::conformance::postgres::postgres_test
