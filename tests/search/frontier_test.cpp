// SPDX-License-Identifier: Apache-2.0
// Which sets of faults break a lock: that each set is needed whole, that both engines find the same, and that what is
// said to do no harm does none in a search of its own.
#include "search/results/frontier.hpp"

#include "search/reexecution/reexecution_engine.hpp"
#include "search/results/counterexample.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::frontier_test {
namespace {

struct Case {
  harness::Scenario scenario;
  harness::Bounds bounds;
};

/// Two faults of five kinds, most of which need another one to break this lock.
Case two_of_five(const std::string& algorithm = "set-px-token") {
  const harness::Scenario scenario = tests::scenario(
      "[workload]\nlease = \"4s\"\nwork = [\"read\", \"hold 1s\", \"write\"]\n[network]\ntimeout = \"500ms\"\n"
      "[explore]\nmax_faults = 2\nattempts = 4\nretry = \"T/2\"\n"
      "[[explore.fault]]\nkind = \"pause\"\ntarget = \"clients\"\nfor = [\"T/2\", \"T+grid\"]\n"
      "[[explore.fault]]\nkind = \"crash\"\n"
      "[[explore.fault]]\nkind = \"half-open\"\n"
      "[[explore.fault]]\nkind = \"clock-jump\"\ntarget = \"servers\"\nby = \"T/2\"\n"
      "[[explore.fault]]\nkind = \"kill-task\"\n",
      algorithm);
  harness::Bounds bounds = scenario.explore.value();
  bounds.contention = harness::Contention::as_written;  // with free instants, too many for the slow engine
  return {bounded(scenario, bounds, true), bounds};
}

/// Only these entries may strike.
harness::Bounds only(harness::Bounds bounds, const FaultSet& entries) {
  std::vector<harness::BudgetedFault> kept;
  for (const std::size_t entry : entries) kept.push_back(bounds.budget[entry]);
  bounds.budget = kept;
  return bounds;
}

std::set<std::pair<FaultSet, std::string>> sets_of(const Frontier& frontier, const std::string& property) {
  std::set<std::pair<FaultSet, std::string>> sets;
  const auto found = frontier.enough.find(property);
  if (found == frontier.enough.end()) return sets;
  for (const MinimalFaults& one : found->second) sets.emplace(one.faults, one.kind);
  return sets;
}

TEST(Frontier, IsTheSameWhicheverEngineSearches) {
  const Case of = two_of_five();
  const Frontier fast =
      frontier_of(explore_stateful(of.scenario, of.bounds, {.exchange = true, .by_faults = true}), of.bounds);
  const Frontier slow = frontier_of(explore_by_reexecution(of.scenario, of.bounds, {.by_faults = true}), of.bounds);
  EXPECT_EQ(fast.searched_faults, 2);
  for (const check::Property& property : check::properties()) {
    const std::string name(property.name);
    EXPECT_EQ(sets_of(fast, name), sets_of(slow, name)) << name;
  }
}

TEST(Frontier, KeepsPairsOfWhichNeitherIsEnough) {
  const Case of = two_of_five();
  const Frontier frontier = frontier_of(explore_stateful(of.scenario, of.bounds, {.by_faults = true}), of.bounds);
  const auto sets = sets_of(frontier, "mutual-exclusion");
  EXPECT_TRUE(sets.contains({{0}, "outlived"}));  // paused for longer than the lease
  EXPECT_TRUE(sets.contains({{0, 3}, "double-grant"})) << "paused for half of it, and the server's clock jumps as far";
  EXPECT_FALSE(sets.contains({{3}, "double-grant"}));
  for (const auto& [faults, kind] : sets) EXPECT_FALSE(faults.empty());
}

/// Each set alone, in a search of its own: whole it breaks the property in this way, and no part of it does.
TEST(Frontier, EverySetIsNeededWholeAndIsEnough) {
  const Case of = two_of_five("set-ex-get-del");
  const Frontier frontier = frontier_of(explore_stateful(of.scenario, of.bounds, {.by_faults = true}), of.bounds);
  std::size_t sets = 0;
  for (const auto& [property, all] : frontier.enough) {
    for (const MinimalFaults& one : all) {
      ++sets;
      harness::Bounds bounds = only(of.bounds, one.faults);
      const ViolationKind way{property, one.kind};
      const Exploration whole = explore_stateful(of.scenario, bounds, {});
      ASSERT_TRUE(whole.broken.contains(way));
      EXPECT_EQ(whole.broken.at(way).faults, static_cast<int>(one.faults.size()));
      EXPECT_TRUE(counterexample(of.scenario, of.bounds, property, one.kind, one.broken, seconds(60)));
      bounds.max_faults = static_cast<int>(one.faults.size()) - 1;
      if (bounds.max_faults < 0) continue;
      EXPECT_FALSE(explore_stateful(of.scenario, bounds, {}).broken.contains(way)) << property << " " << one.kind;
    }
  }
  EXPECT_GT(sets, 3u);
}

TEST(Frontier, WhatIsLeftDoesNoHarmInASearchOfItsOwn) {
  const Case of = two_of_five();
  const Frontier frontier = frontier_of(explore_stateful(of.scenario, of.bounds, {.by_faults = true}), of.bounds);
  for (const std::string property : {"mutual-exclusion", "resource-safety", "deadlock-freedom"}) {
    std::vector<FaultSet> enough;
    for (const auto& [faults, kind] : sets_of(frontier, property)) enough.push_back(faults);
    for (const FaultSet& harmless : largest_without(of.bounds.budget.size(), enough)) {
      const Exploration found = explore_stateful(of.scenario, only(of.bounds, harmless), {});
      EXPECT_TRUE(found.complete);
      for (const auto& [way, broken] : found.broken) EXPECT_NE(way.first, property) << way.second;
    }
  }
}

TEST(Frontier, OfASearchThatWasStoppedIsAsFarAsItCame) {
  const Case of = two_of_five();
  int looks = 0;
  const auto some = [&](const Progress& progress) { return progress.faults < 2 || ++looks < 2; };
  const Exploration found = explore_stateful(of.scenario, of.bounds, {.by_faults = true, .go_on = some});
  ASSERT_FALSE(found.complete);
  EXPECT_EQ(frontier_of(found, of.bounds).searched_faults, 1);
}

TEST(LargestWithout, LeavesOutOneOfEachSet) {
  EXPECT_EQ(largest_without(3, {}), (std::vector<FaultSet>{{0, 1, 2}}));
  EXPECT_EQ(largest_without(3, {{1}}), (std::vector<FaultSet>{{0, 2}}));
  EXPECT_EQ(largest_without(3, {{0, 1}}), (std::vector<FaultSet>{{0, 2}, {1, 2}}));
  EXPECT_EQ(largest_without(4, {{0, 1}, {1, 2}, {2, 3}}), (std::vector<FaultSet>{{0, 2}, {0, 3}, {1, 3}}));
  EXPECT_EQ(largest_without(3, {{0, 1, 2}}), (std::vector<FaultSet>{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(largest_without(2, {{}}), (std::vector<FaultSet>{})) << "it breaks without a fault";
}

}  // namespace
}  // namespace lockproof::sim::frontier_test
