// SPDX-License-Identifier: Apache-2.0
// The simulated ZooKeeper against a real one: they agree, and a wrong rule would be noticed.
#include <gtest/gtest.h>

#include <string>

#include "conformance/zookeeper/conformance.hpp"
#include "conformance/zookeeper/generator.hpp"
#include "tests/conformance/planted.hpp"

namespace lockproof::conformance::zookeeper::zookeeper_test {
namespace {

std::string shown(const Report& report) {
  if (!report.difference) return "";
  const Difference& d = *report.difference;
  return zookeeper::shown(d.steps) + "simulated: " + d.simulated + "\nreal: " + d.real;
}

TEST(ConformanceZooKeeper, FindsNoDifferenceAndSeesEveryReply) {
  const Report report = compare({.commands = 20'000});
  EXPECT_FALSE(report.difference) << shown(report);
  EXPECT_GE(report.commands, 20'000u);
  EXPECT_LE(report.unconfirmed, 10u);
  EXPECT_GE(report.silences, 20u);  // a loaded machine is often late for these two, and what is late is no comparison
  EXPECT_GE(report.hushes, 5u);
  EXPECT_GE(report.reconnections, 300u);
  EXPECT_GE(report.overtakings, 300u);
  EXPECT_GE(report.told, 300u);
  for (const char* const kind : {"CONNECT: a session", "CLOSE: 1", "PING: 1", "SYNC: 1", "CREATE: a name",
                                 "CREATE: there is one", "CREATE: NONODE", "DELETE: 1", "DELETE: 0", "EXISTS: 1",
                                 "EXISTS: 0", "CHILDREN: names", "CHILDREN: no names", "CHILDREN: NONODE"}) {
    EXPECT_TRUE(report.replies.contains(kind)) << kind;
  }
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
  const Report report = compare({.mutant = mutant_named("deletes-what-is-not-there")});
  ASSERT_TRUE(report.difference);
  EXPECT_LE(report.difference->steps.size(), 4u) << shown(report);
}

TEST(ConformanceZooKeeper, MutantsHaveNamesOfTheirOwn) { expect_names_of_their_own(mutants()); }

class PlantedInZooKeeper : public testing::TestWithParam<const Mutant*> {};

TEST_P(PlantedInZooKeeper, IsCaught) {
  const Report report = compare({.mutant = GetParam(), .shrinks = false});
  EXPECT_TRUE(report.difference) << "not noticed: " << GetParam()->rule;
}

INSTANTIATE_TEST_SUITE_P(Rules, PlantedInZooKeeper, testing::ValuesIn(each_of(mutants())), by_its_name);

}  // namespace
}  // namespace lockproof::conformance::zookeeper::zookeeper_test
