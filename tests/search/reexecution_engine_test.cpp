// SPDX-License-Identifier: Apache-2.0
// The re-execution engine is what the other one is compared with, so it must be right by itself: its answer does not
// depend on the order of the search, on the number of workers, or on what a reduction leaves out.
#include "search/reexecution/reexecution_engine.hpp"
#include "sim/kernel/path_chooser.hpp"

#include "harness/scenario/file/parse_bounds.hpp"
#include "harness/scenario/file/write.hpp"
#include "search/results/counterexample.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::reexecution_engine_test {
namespace {

const std::string workload = R"(
[workload]
lease = "2s"
work = ["hold 1s"]
)";
const std::string limited = R"(
[explore]
attempts = 3
failed_attempts = 1
retry = "T/2"
)";
const std::string small = workload + limited;
const std::string faults = R"(
[[explore.fault]]
kind = "pause"
target = "clients"
for = ["T", "T+grid"]
[[explore.fault]]
kind = "crash"
[[explore.fault]]
kind = "half-open"
)";

struct SearchResult {
  harness::Scenario scenario;
  harness::Bounds bounds;
  Exploration found;
};

SearchResult explore(const std::string& text, const std::string& algorithm = "set-px-token", Limits limits = {}) {
  harness::Scenario scenario = tests::scenario(text, algorithm);
  harness::Bounds bounds = scenario.explore.value();
  scenario = bounded(scenario, bounds, false);
  Exploration found = explore_by_reexecution(scenario, bounds, limits);
  return {std::move(scenario), std::move(bounds), std::move(found)};
}

std::vector<std::string> ways(const Exploration& found) {
  std::vector<std::string> all;
  for (const auto& [way, broken] : found.broken) all.push_back(way.first + " " + way.second);
  return all;
}

struct Six {
  const char *algorithm, *more;
  bool asks_freely = true;  // else as written: the spaces of some are too large for an engine that shares nothing

  [[nodiscard]] std::string text() const {
    return workload + more + limited + (asks_freely ? "" : "contention = \"as-written\"\n") + faults;
  }
  friend void PrintTo(const Six& one, std::ostream* out) { *out << one.algorithm << " " << one.more; }
};

class SixScenarios : public testing::TestWithParam<Six> {};

TEST_P(SixScenarios, DepthFirstAndBreadthFirstSeeTheSameStatesAndTransitions) {
  const std::string text = GetParam().text(), algorithm = GetParam().algorithm;
  const Exploration broad = explore(text, algorithm).found;
  const Exploration deep = explore(text, algorithm, {.depth_first = true}).found;
  EXPECT_TRUE(broad.complete);
  EXPECT_GT(broad.states, 100u);
  EXPECT_EQ(broad.states, deep.states);
  EXPECT_EQ(broad.transitions, deep.transitions);
  EXPECT_EQ(broad.terminal, deep.terminal);
  EXPECT_EQ(ways(broad), ways(deep));
}

TEST_P(SixScenarios, TheNumberOfWorkersMakesNoDifference) {
  const std::string text = GetParam().text(), algorithm = GetParam().algorithm;
  const Exploration one = explore(text, algorithm).found;
  const Exploration two = explore(text, algorithm, {.workers = 2}).found;
  EXPECT_EQ(one.states, two.states);
  EXPECT_EQ(one.transitions, two.transitions);
  EXPECT_EQ(ways(one), ways(two));
  for (const auto& [way, broken] : one.broken) EXPECT_EQ(broken.choices, two.broken.at(way).choices);
}

TEST_P(SixScenarios, TheReductionLosesNoVerdict) {
  const std::string text = GetParam().text(), algorithm = GetParam().algorithm;
  const Exploration reduced = explore(text, algorithm).found;
  const Exploration full = explore(text, algorithm, {.reduce = false}).found;
  EXPECT_LE(reduced.states, full.states);
  EXPECT_EQ(ways(reduced), ways(full));
  for (const auto& [way, broken] : reduced.broken) EXPECT_EQ(broken.faults, full.broken.at(way).faults);
}

TEST_P(SixScenarios, WhatItFindsIsAScenarioThatShowsIt) {
  const std::string text = GetParam().text(), algorithm = GetParam().algorithm;
  const SearchResult searched = explore(text, algorithm);
  for (const auto& [way, broken] : searched.found.broken) {
    const auto shown = counterexample(searched.scenario, searched.bounds, way.first, way.second, broken, seconds(10));
    ASSERT_TRUE(shown) << way.first << " " << way.second;
    const harness::Scenario read = harness::parse_scenario("written.toml", harness::to_toml(shown->scenario));
    const check::Finding finding = tests::judged(tests::run(read), read, way.first);
    EXPECT_EQ(finding.kind, way.second);
    EXPECT_EQ(finding.verdict, check::Verdict::violated);
    EXPECT_EQ(read.faults.size(), static_cast<std::size_t>(broken.faults));
  }
}

const Six six[] = {{"set-px-token", ""},
                   {"set-ex-get-del", "rounds = 2\n", false},
                   {"getset-timestamp", "[[client]]\nname = \"client-2\"\nclock = \"+1500ms\"\n"},
                   {"redisson", ""},
                   {"guard-thread-repaired", ""},
                   {"set-px-token", "[network]\nlatency = [\"1ms\", \"2ms\"]\n", false}};
INSTANTIATE_TEST_SUITE_P(OverAlgorithms, SixScenarios, testing::ValuesIn(six),
                         [](const auto& one) { return "No" + std::to_string(one.index + 1); });

TEST(Explore, APauseAsLongAsTheLeaseOutlivesIt) {
  const Exploration found = explore(small + faults).found;
  EXPECT_EQ(ways(found), (std::vector<std::string>{"grant-is-valid expired", "mutual-exclusion outlived"}));
  EXPECT_EQ(found.broken.at({"mutual-exclusion", "outlived"}).faults, 1);
}

TEST(Explore, WithoutFaultsATokenLockHolds) {
  const Exploration found = explore(small).found;
  EXPECT_TRUE(found.complete);
  EXPECT_TRUE(found.acquired);
  EXPECT_TRUE(found.contended);
  EXPECT_TRUE(found.broken.empty());
}

TEST(Explore, StopsAtALimitAndSaysSo) {
  const Exploration little = explore(small + faults, "set-px-token", {.bytes = 10'000}).found;
  EXPECT_FALSE(little.complete);
  EXPECT_EQ(little.stopped, "the memory limit was reached");
  const Exploration stopped =
      explore(small + faults, "set-px-token", {.go_on = [](const Progress&) { return false; }}).found;
  EXPECT_FALSE(stopped.complete);
}

TEST(Explore, FewestFaultsComeFirst) {
  const Exploration found = explore(small + "max_faults = 2\n" + faults).found;
  for (const auto& [way, broken] : found.broken) EXPECT_EQ(broken.faults, 1) << way.first;
}

/// The rival comes a second after the holder has entered, when the server is back and empty. Its own command does not
/// show that: of token-pubsub, whose connection is lost with an answer waits for ever.
TEST(Explore, AnOutageBetweenTwoCommandsLosesTheLock) {
  for (const char* outage : {"restart", "power-cut"}) {
    const Exploration found =
        explore(
            "[workload]\nlease = \"10s\"\nwork = [\"hold 6s\"]\n[[client]]\nname = \"client-2\"\nstart = \"1s\"\n"
            "[explore]\ncontention = \"as-written\"\n[[explore.fault]]\nkind = \"" +
                std::string(outage) + "\"\nfor = \"4ms\"\n",
            "token-pubsub")
            .found;
    EXPECT_TRUE(found.complete);
    EXPECT_TRUE(found.broken.contains({"mutual-exclusion", "double-grant"})) << outage;
  }
}

TEST(PathChooser, RefusesAScheduleThatDoesNotFitItsWorld) {
  PathChooser chooser({1, 3});
  EXPECT_EQ(chooser.first_of(2, {}), 1u);
  EXPECT_THROW((void)chooser.first_of(3, {}), std::logic_error);
}

}  // namespace
}  // namespace lockproof::sim::reexecution_engine_test
