// SPDX-License-Identifier: Apache-2.0
// The order of the two searches where clients may ask freely. The searches here make as many states as a test says.
#include "search/core/as_written_search.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/fixtures.hpp"

namespace lockproof::sim::written_test {
namespace {

using harness::Contention;
using harness::Scenario;

const ViolationKind outlived{"mutual-exclusion", "outlived"};

/// Searches of so many states, and what they have found when they end.
struct Spaces {
  std::uint64_t written = 0, freely = 0;
  std::uint64_t runs_written = 0;  // for each state
  std::map<ViolationKind, ShortestViolation> broken_written{}, broken_freely{};
  std::vector<std::string> log{};

  Exploration search(const Scenario& scenario, const Limits& limits) {
    const bool as_file = scenario.contention == Contention::as_written;
    const std::uint64_t all = as_file ? written : freely;
    Exploration found;
    for (found.complete = true; found.complete && found.states < all;) {
      found.states += 1000;
      found.complete =
          !limits.go_on || limits.go_on({.states = found.states, .runs = as_file ? found.states * runs_written : 0});
    }
    log.push_back((as_file ? "written " : "freely ") + std::to_string(found.states));
    if (found.complete) found.broken = as_file ? broken_written : broken_freely;
    return found;
  }
};

Exploration contended(Spaces& spaces, Limits limits) {
  limits.written_first = true;
  Scenario scenario = tests::scenario("[workload]\nlease = \"10s\"\n", "set-px-token");
  contend(scenario, Contention::adversarial);
  return explore_contended(scenario, limits,
                           [&](const auto& one, const auto& within) { return spaces.search(one, within); });
}

TEST(AsWrittenSearch, IsSearchedFirst) {
  Spaces spaces{.written = 2000, .freely = 900'000};
  const Exploration found = contended(spaces, {});
  EXPECT_EQ(spaces.log, (std::vector<std::string>{"written 2000", "freely 900000"}));
  EXPECT_TRUE(found.complete && found.written);
}

/// A client that polls may make more states than one that asks freely, which must not wait for it.
TEST(AsWrittenSearch, IsOnlyLookedAtWhereItIsTheLargerOne) {
  Spaces spaces{.written = 900'000, .freely = 6000};
  const Exploration found = contended(spaces, {});
  EXPECT_EQ(spaces.log, (std::vector<std::string>{"written 200000", "freely 6000"}));
  EXPECT_TRUE(found.complete);
  EXPECT_FALSE(found.written);
  EXPECT_EQ(found.states, 6000u);
}

TEST(AsWrittenSearch, IsOnlyLookedAtWhereItsSchedulesAreLong) {
  Spaces spaces{.written = 900'000, .freely = 400'000, .runs_written = 99};
  EXPECT_TRUE(contended(spaces, {}).complete);
  EXPECT_EQ(spaces.log, (std::vector<std::string>{"written 2000", "freely 400000"}));
}

TEST(AsWrittenSearch, IsSearchedToItsEndOnceTheOtherIsLarge) {
  Spaces spaces{.written = 400'000, .freely = 4'000'000, .broken_written = {{outlived, {.faults = 1}}}};
  Limits limits;
  limits.enough = [](const std::set<ViolationKind>& found) { return found.contains(outlived); };
  const Exploration found = contended(spaces, limits);
  EXPECT_EQ(spaces.log, (std::vector<std::string>{"written 200000", "written 400000", "freely 1000000"}));
  EXPECT_FALSE(found.complete || found.only_written);
  EXPECT_TRUE(found.broken.at(outlived).as_written);
  limits.enough = {};
  spaces.log.clear();
  EXPECT_TRUE(contended(spaces, limits).complete);
  EXPECT_EQ(spaces.log.back(), "freely 4000000");
  EXPECT_EQ(spaces.log.size(), 3u) << "it is searched once";
}

TEST(AsWrittenSearch, IsLookedAtAsFarAsTheOtherHasCome) {
  Spaces spaces{.written = 90'000'000, .freely = 12'000'000};
  EXPECT_TRUE(contended(spaces, {}).complete);
  EXPECT_EQ(spaces.log,
            (std::vector<std::string>{"written 200000", "written 2000000", "written 20000000", "freely 12000000"}));
}

TEST(AsWrittenSearch, ALimitThatStopsItStopsAll) {
  Spaces spaces{.written = 900'000, .freely = 900'000};
  Limits limits;
  limits.go_on = [](const Progress& progress) { return progress.states < 2000; };
  const Exploration found = contended(spaces, limits);
  EXPECT_EQ(spaces.log, std::vector<std::string>{"written 2000"});
  EXPECT_TRUE(found.only_written);
  EXPECT_FALSE(found.complete);
}

/// Whoever has fewer faults is shown, and of as many those that ask freely, whose events are the fewest.
TEST(AsWrittenSearch, TheFewestFaultsAreShown) {
  for (const int faults : {0, 1, 2}) {
    Spaces spaces{.written = 1000,
                  .freely = 1000,
                  .broken_written = {{outlived, {.faults = faults}}},
                  .broken_freely = {{outlived, {.faults = 1}}}};
    const ShortestViolation shown = contended(spaces, {}).broken.at(outlived);
    EXPECT_EQ(shown.as_written, faults < 1);
    EXPECT_EQ(shown.faults, std::min(faults, 1));
  }
}

}  // namespace
}  // namespace lockproof::sim::written_test
