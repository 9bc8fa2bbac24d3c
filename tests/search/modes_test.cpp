// SPDX-License-Identifier: Apache-2.0
// Readers and permits in a search: both engines see the same, and say which client is one too many.
#include "tests/search/both_engines.hpp"

namespace lockproof::sim::modes_test {
namespace {

const std::string bounds =
    "[explore]\ncontention = \"as-written\"\nattempts = 4\nretry = \"T/2\"\nmax_faults = 1\n"
    "[[explore.fault]]\nkind = \"pause\"\ntarget = \"clients\"\nfor = \"T+1ms\"\n"
    "[[explore.fault]]\nkind = \"resend\"\ntarget = \"clients\"\nfor = \"10ms\"\n";

harness::Scenario readers(int clients) {
  return tests::scenario("[workload]\nclients = " + std::to_string(clients) +
                             "\nlease = \"2s\"\nwork = [\"hold 1s\"]\nmode = \"shared\"\n"
                             "[[client]]\nname = \"client-2\"\nmode = \"exclusive\"\n" +
                             bounds,
                         "redisson-read-write");
}

harness::Scenario permits(int clients) {
  return tests::scenario("permits = 2\n[workload]\nclients = " + std::to_string(clients) +
                             "\nwork = [\"hold 1s\"]\nlease = \"2s\"\n"
                             "[[client]]\nname = \"client-2\"\nwork = [\"hold 3s\"]\n" +
                             bounds,
                         "redisson-semaphore");
}

Exploration searched(const harness::Scenario& scenario) {
  const harness::Bounds of = scenario.explore.value();
  return explore_stateful(bounded(scenario, of, false), of, {});
}

TEST(Modes, AreSeenAlikeByBothEngines) {
  EXPECT_TRUE(tests::searched_by_both(readers(2)));
  EXPECT_TRUE(tests::searched_by_both(permits(2)));
}

TEST(Modes, OfAReaderAndAWriterOneOutlivesItsLease) {
  const Exploration found = searched(readers(3));
  EXPECT_TRUE(found.complete && found.acquired);
  EXPECT_TRUE(found.broken.contains({"mutual-exclusion", "outlived"}));
  EXPECT_FALSE(found.broken.contains({"mutual-exclusion", "double-grant"}));
}

TEST(Modes, ReadersAloneExcludeNobody) {
  harness::Scenario scenario = readers(3);
  for (harness::ClientSpec& client : scenario.clients) client.plan.modes = {Mode::shared};
  const Exploration found = searched(scenario);
  EXPECT_TRUE(found.complete && found.acquired && found.contended);
  EXPECT_FALSE(found.broken.contains({"mutual-exclusion", "outlived"}));
}

/// A release sent twice makes a permit more; two clients have room with it.
TEST(Permits, AThirdClientIsOneTooMany) {
  EXPECT_TRUE(searched(permits(2)).broken.empty());
  const Exploration found = searched(permits(3));
  EXPECT_TRUE(found.complete);
  EXPECT_FALSE(found.broken.contains({"mutual-exclusion", "double-grant"}));
  EXPECT_TRUE(searched(permits(4)).broken.contains({"mutual-exclusion", "double-grant"}));
}

}  // namespace
}  // namespace lockproof::sim::modes_test
