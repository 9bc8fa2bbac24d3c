// SPDX-License-Identifier: Apache-2.0
// The simulated etcd against a real one: they agree, and a wrong rule would be noticed.
#include <gtest/gtest.h>

#include <string>

#include "conformance/etcd/conformance.hpp"
#include "conformance/etcd/generator.hpp"
#include "tests/conformance/planted.hpp"

namespace lockproof::conformance::etcd::etcd_test {
namespace {

TEST(ConformanceEtcd, FindsNoDifferenceAndSeesEveryReply) {
  const Report report = compare({.commands = 20'000});
  expect_no_difference(report);
  EXPECT_GE(report.commands, 20'000u);
  EXPECT_GE(report.count_of(counted, "leases that ended"), 20u);
  EXPECT_GE(report.count_of(counted, "leases that were kept alive at their end"),
            1u);  // a loaded machine is often late for them, and what is late is no comparison
  EXPECT_GE(report.count_of(counted, "keep-alives of a lease that was over"), 5u);
  EXPECT_GE(report.count_of(counted, "restarts"), 3u);
  EXPECT_GE(report.count_of(counted, "reconnections"), 300u);
  EXPECT_GE(report.count_of(counted, "times that a watch told"), 300u);
  expect_rows(report, answered,
              {"LEASE-GRANT: a lease", "LEASE-KEEPALIVE: its time", "LEASE-KEEPALIVE: 0", "LEASE-REVOKE: 1",
               "LEASE-REVOKE: NOLEASE", "PUT-IF-ABSENT: done", "PUT-IF-ABSENT: there is one", "PUT-IF-ABSENT: NOLEASE",
               "GET: a key", "GET: none", "DELETE: 1", "DELETE: 0", "DELETE-IF: 1", "DELETE-IF: 0",
               "LAST-BEFORE: a key", "LAST-BEFORE: none", "WATCH: 1"});
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
  const Report report = compare({.mutant = "deletes-what-is-not-there"});
  expect_small_difference(report, 4);
}

TEST(ConformanceEtcd, MutantsHaveNamesOfTheirOwn) { expect_names_of_their_own(mutant_names()); }

class PlantedInEtcd : public testing::TestWithParam<MutantName> {};

TEST_P(PlantedInEtcd, IsCaught) {
  const Report report = compare({.mutant = std::string(GetParam().name), .shrinks = false});
  EXPECT_TRUE(report.difference) << "not noticed: " << GetParam().rule;
}

INSTANTIATE_TEST_SUITE_P(Rules, PlantedInEtcd, testing::ValuesIn(mutant_names()), by_its_name);

}  // namespace
}  // namespace lockproof::conformance::etcd::etcd_test
