// SPDX-License-Identifier: Apache-2.0
// The simulated etcd against a real one: they agree, and a wrong rule would be noticed.
#include <gtest/gtest.h>

#include <string>

#include "conformance/etcd/conformance.hpp"
#include "conformance/etcd/generator.hpp"
#include "tests/conformance/planted.hpp"

namespace lockproof::conformance::etcd::etcd_test {
namespace {

std::string shown(const Report& report) {
  if (!report.difference) return "";
  const Difference& d = *report.difference;
  return etcd::shown(d.steps) + "simulated: " + d.simulated + "\nreal: " + d.real;
}

TEST(ConformanceEtcd, FindsNoDifferenceAndSeesEveryReply) {
  const Report report = compare({.commands = 20'000});
  EXPECT_FALSE(report.difference) << shown(report);
  EXPECT_GE(report.commands, 20'000u);
  EXPECT_GE(report.ended, 20u);
  EXPECT_GE(report.sustained, 1u);  // a loaded machine is often late for them, and what is late is no comparison
  EXPECT_GE(report.knocks, 5u);
  EXPECT_GE(report.restarts, 3u);
  EXPECT_GE(report.reconnections, 300u);
  EXPECT_GE(report.told, 300u);
  for (const char* const kind :
       {"LEASE-GRANT: a lease", "LEASE-KEEPALIVE: its time", "LEASE-KEEPALIVE: 0", "LEASE-REVOKE: 1",
        "LEASE-REVOKE: NOLEASE", "PUT-IF-ABSENT: done", "PUT-IF-ABSENT: there is one", "PUT-IF-ABSENT: NOLEASE",
        "GET: a key", "GET: none", "DELETE: 1", "DELETE: 0", "DELETE-IF: 1", "DELETE-IF: 0", "LAST-BEFORE: a key",
        "LAST-BEFORE: none", "WATCH: 1"}) {
    EXPECT_TRUE(report.replies.contains(kind)) << kind;
  }
}

TEST(ConformanceEtcd, DrawsTheSameFromTheSameSeed) {
  const auto draw = [](std::uint64_t seed) {
    Generator generator(seed);
    generator.begin();
    Steps steps;
    for (int i = 0; i < 500; ++i) steps.push_back(generator.next());
    return etcd::shown(steps);
  };
  EXPECT_EQ(draw(7), draw(7));
  EXPECT_NE(draw(7), draw(8));
}

TEST(ConformanceEtcd, MakesADifferenceSmall) {
  const Report report = compare({.mutant = mutant_named("deletes-what-is-not-there")});
  ASSERT_TRUE(report.difference);
  EXPECT_LE(report.difference->steps.size(), 4u) << shown(report);
}

TEST(ConformanceEtcd, MutantsHaveNamesOfTheirOwn) { expect_names_of_their_own(mutants()); }

class PlantedInEtcd : public testing::TestWithParam<const Mutant*> {};

TEST_P(PlantedInEtcd, IsCaught) {
  const Report report = compare({.mutant = GetParam(), .shrinks = false});
  EXPECT_TRUE(report.difference) << "not noticed: " << GetParam()->rule;
}

INSTANTIATE_TEST_SUITE_P(Rules, PlantedInEtcd, testing::ValuesIn(each_of(mutants())), by_its_name);

}  // namespace
}  // namespace lockproof::conformance::etcd::etcd_test
