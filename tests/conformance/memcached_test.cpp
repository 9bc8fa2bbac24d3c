// SPDX-License-Identifier: Apache-2.0
// The simulated memcached against a real one: they agree, and a wrong rule would be noticed.
#include <gtest/gtest.h>

#include <string>

#include "conformance/memcached/conformance.hpp"
#include "conformance/memcached/generator.hpp"
#include "tests/conformance/planted.hpp"

namespace lockproof::conformance::memcached::memcached_test {
namespace {

TEST(ConformanceMemcached, FindsNoDifferenceAndSeesEveryReply) {
  const Report report = compare({.commands = 20'000});
  expect_no_difference(report);
  EXPECT_GE(report.commands, 20'000u);
  EXPECT_GE(report.count_of(counted, "ticks"), 100u);
  expect_rows(report, answered,
              {"add: STORED", "add: NOT_STORED", "set: STORED", "gets: nil", "gets: an item", "cas: STORED",
               "cas: EXISTS", "cas: NOT_FOUND", "delete: DELETED", "delete: NOT_FOUND", "touch: TOUCHED",
               "touch: NOT_FOUND", "touch: CLIENT_ERROR invalid exptime argument", "incr: a number", "incr: NOT_FOUND",
               "incr: CLIENT_ERROR invalid numeric delta argument",
               "incr: CLIENT_ERROR cannot increment or decrement non-numeric value"});
}

TEST(ConformanceMemcached, DrawsTheSameFromTheSameSeed) {
  const auto draw = [](std::uint64_t seed) {
    Generator generator(seed);
    Steps steps;
    for (int i = 0; i < 500; ++i) steps.push_back(generator.command(i));
    return memcached::shown(steps);
  };
  EXPECT_EQ(draw(7), draw(7));
  EXPECT_NE(draw(7), draw(8));
}

TEST(ConformanceMemcached, MakesADifferenceSmall) {
  const Report report = compare({.mutant = "lives-a-second-longer"});
  expect_small_difference(report, 4);
}

TEST(ConformanceMemcached, MutantsHaveNamesOfTheirOwn) { expect_names_of_their_own(mutant_names()); }

class PlantedInMemcached : public testing::TestWithParam<MutantName> {};

TEST_P(PlantedInMemcached, IsCaught) {
  const Report report = compare({.mutant = std::string(GetParam().name), .shrinks = false});
  EXPECT_TRUE(report.difference) << "not noticed: " << GetParam().rule;
}

INSTANTIATE_TEST_SUITE_P(Rules, PlantedInMemcached, testing::ValuesIn(mutant_names()), by_its_name);

}  // namespace
}  // namespace lockproof::conformance::memcached::memcached_test
