// SPDX-License-Identifier: Apache-2.0
// The simulated ZooKeeper against a real one: they agree, and a wrong rule would be noticed.
#include <gtest/gtest.h>

#include <string>

#include "conformance/zookeeper/conformance.hpp"
#include "conformance/zookeeper/generator.hpp"
#include "tests/conformance/planted.hpp"

namespace lockproof::conformance::zookeeper::zookeeper_test {
namespace {

TEST(ConformanceZooKeeper, FindsNoDifferenceAndSeesEveryReply) {
  const Report report = compare({.commands = 20'000});
  expect_no_difference(report);
  EXPECT_GE(report.commands, 20'000u);
  EXPECT_LE(report.unconfirmed, 10u);
  EXPECT_GE(report.count_of(counted, "sessions that ended by themselves"),
            20u);  // a loaded machine is often late for these two, and what is late is no comparison
  EXPECT_GE(report.count_of(counted, "sessions that nearly ended"), 5u);
  EXPECT_GE(report.count_of(counted, "reconnections"), 300u);
  EXPECT_GE(report.count_of(counted, "reconnections before the end of the last connection"), 300u);
  EXPECT_GE(report.count_of(counted, "times that a watch told"), 300u);
  expect_rows(report, answered,
              {"CONNECT: a session", "CLOSE: 1", "PING: 1", "SYNC: 1", "CREATE: a name", "CREATE: there is one",
               "CREATE: NONODE", "DELETE: 1", "DELETE: 0", "EXISTS: 1", "EXISTS: 0", "CHILDREN: names",
               "CHILDREN: no names", "CHILDREN: NONODE"});
}

TEST(ConformanceZooKeeper, DrawsTheSameFromTheSameSeed) {
  const auto draw = [](std::uint64_t seed) {
    Generator generator(seed);
    Steps steps = generator.first();
    for (int i = 0; i < 500; ++i) steps.push_back(generator.next(i, {}));
    return zookeeper::shown(steps);
  };
  EXPECT_EQ(draw(7), draw(7));
  EXPECT_NE(draw(7), draw(8));
}

TEST(ConformanceZooKeeper, MakesADifferenceSmall) {
  const Report report = compare({.mutant = "deletes-what-is-not-there"});
  expect_small_difference(report, 4);
}

TEST(ConformanceZooKeeper, MutantsHaveNamesOfTheirOwn) { expect_names_of_their_own(mutant_names()); }

class PlantedInZooKeeper : public testing::TestWithParam<MutantName> {};

TEST_P(PlantedInZooKeeper, IsCaught) {
  const Report report = compare({.mutant = std::string(GetParam().name), .shrinks = false});
  EXPECT_TRUE(report.difference) << "not noticed: " << GetParam().rule;
}

INSTANTIATE_TEST_SUITE_P(Rules, PlantedInZooKeeper, testing::ValuesIn(mutant_names()), by_its_name);

}  // namespace
}  // namespace lockproof::conformance::zookeeper::zookeeper_test
