// SPDX-License-Identifier: Apache-2.0
// Attempts that their caller ends, in a search: what is left of an attempt's time is part of a state.
#include "tests/search/both_engines.hpp"

namespace lockproof::sim::attempt_timeout_test {
namespace {

harness::Scenario asked(int attempts, const std::string& within) {
  return tests::scenario(
      "retry = \"1s\"\n[workload]\nlease = \"4s\"\nwork = [\"hold 1s\"]\nattempts = " + std::to_string(attempts) +
      "\n" + within +
      "[judge]\nprogress = \"3s\"\n[explore]\ncontention = \"as-written\"\n[[explore.fault]]\nkind = \"delay\"\n"
      "target = \"client-1\"\nby = [\"498ms\", \"499ms\", \"1s\"]\n");
}

TEST(AttemptTimeout, BothEnginesSearchTheSame) {
  EXPECT_TRUE(tests::searched_by_both(asked(2, "attempt_timeout = \"500ms\"\n")));
}

TEST(AttemptTimeout, ASearchFindsWhatIsLeftOfAnAttempt) {
  const auto broken = [](const harness::Scenario& scenario) {
    const harness::Bounds& of = *scenario.explore;
    return explore_stateful(bounded(scenario, of, false), of, {}).broken;
  };
  EXPECT_TRUE(broken(asked(6, "attempt_timeout = \"500ms\"\n")).contains({"deadlock-freedom", "orphaned"}));
  EXPECT_TRUE(broken(asked(6, "")).empty());  // each answer is awaited
}

}  // namespace
}  // namespace lockproof::sim::attempt_timeout_test
