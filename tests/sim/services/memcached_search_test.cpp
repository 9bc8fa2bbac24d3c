// SPDX-License-Identifier: Apache-2.0
// Every schedule of locks on memcached: its ticks cut leases short, and requests come just before them.
#include <string>

#include "search/core/contention.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/search/same_search.hpp"

namespace lockproof::sim::memcached_search_test {
namespace {

using harness::Bounds;
using harness::Contention;

const ViolationKind double_grant{"mutual-exclusion", "double-grant"}, outlived{"mutual-exclusion", "outlived"};

harness::Scenario scenario(const std::string& lock, const std::string& lease, const std::string& hold,
                           const std::string& more = "") {
  return tests::scenario("[workload]\nlease = \"" + lease + "\"\nwork = [\"hold " + hold + "\"]\n" + more, lock);
}

Bounds bounds_of(const harness::Scenario& scenario, Contention contention) {
  Bounds bounds = scenario.explore.value_or(Bounds{});
  bounds.contention = contention;
  return bounds;
}

Exploration searched(const harness::Scenario& scenario, Contention contention = Contention::adversarial) {
  const Bounds bounds = bounds_of(scenario, contention);
  return explore_stateful(bounded(scenario, bounds, false), bounds, {.exchange = true});
}

TEST(MemcachedSearch, FindsTheShortSecondWhateverThePhase) {
  for (const char* const phase : {"0ms", "1ms", "500ms", "999ms"}) {
    const std::string service = std::string("[service]\nphase = \"") + phase + "\"\n";
    EXPECT_TRUE(searched(scenario("memcached-add", "3s", "2005ms", service)).broken.contains(double_grant)) << phase;
    EXPECT_FALSE(searched(scenario("memcached-add", "3s", "1990ms", service)).broken.contains(double_grant)) << phase;
  }
}

/// The shortest lease of 3 s, against what passes from the grant on the server to the holder's leaving.
TEST(MemcachedSearch, TheEdgeIsExact) {
  EXPECT_FALSE(searched(scenario("memcached-add", "3s", "1997ms")).broken.contains(double_grant));
  EXPECT_TRUE(searched(scenario("memcached-add", "3s", "2001ms")).broken.contains(double_grant));
}

TEST(MemcachedSearch, ADeadlineWithoutThatSecondIsNeverTooLong) {
  const Exploration found = searched(scenario("memcached-add-cas", "3s", "2500ms"));
  EXPECT_TRUE(found.complete);
  EXPECT_FALSE(found.broken.contains(double_grant));
  EXPECT_TRUE(found.broken.contains(outlived));
}

class MemcachedEngines : public testing::TestWithParam<const char*> {};

TEST_P(MemcachedEngines, FindTheSame) {
  for (const char* const lock : {"memcached-add", "memcached-add-cas"}) {
    for (const Contention contention : {Contention::as_written, Contention::adversarial}) {
      const harness::Scenario tried =
          scenario(lock, "1s", "200ms", std::string("[explore]\nattempts = 1\n") + GetParam());
      const Bounds bounds = bounds_of(tried, contention);
      const harness::Scenario within = bounded(tried, bounds, false);
      tests::expect_same_search(explore_by_reexecution(within, bounds, {}), explore_stateful(within, bounds, {}));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Faults, MemcachedEngines,
    testing::Values("", "[[explore.fault]]\nkind = \"evict\"\n",
                    "[[explore.fault]]\nkind = \"restart\"\nfor = \"300ms\"\n",
                    "[[explore.fault]]\nkind = \"pause\"\ntarget = \"clients\"\nfor = [\"1s\"]\n"));

}  // namespace
}  // namespace lockproof::sim::memcached_search_test
