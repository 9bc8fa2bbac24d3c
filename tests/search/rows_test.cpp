// SPDX-License-Identifier: Apache-2.0
// The rows from which the stateful engine reads known steps: they say what Successors says, whatever is left out of the
// search; and a row that is keyed too narrowly, a monitor that is left out and an age that is off by one are noticed,
// by the comparison with Successors and by that with the re-execution engine. And what rows are keyed by of the budget.
#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "search/automata/budgets.hpp"
#include "search/state_space/rechecked.hpp"
#include "tests/search/both_engines.hpp"

namespace lockproof::sim::rows_test {
namespace {

using Id = Budgets::Id;

struct Subject {
  const char* algorithm;
  const char* more;
};

const Subject subjects[] = {
    {"set-px-token", "[workload]\nclients = 3\nlease = \"2s\"\nwork = [\"read\", \"hold 1s\", \"write\"]\n"},
    {"redlock", "[servers]\nredis = 3\n[workload]\nlease = \"2s\"\nwork = [\"hold 1s\"]\n"},
    {"redisson", "[workload]\nlease = \"2s\"\nwork = [\"hold 1s\"]\n"},
    {"getset-timestamp", "[workload]\nlease = \"2s\"\nwork = [\"hold 1s\"]\n"},
};

harness::Scenario scenario_of(const Subject& subject, int max_faults) {
  harness::Scenario scenario = tests::scenario(
      subject.more + fmt::format("[explore]\nmax_faults = {}\nattempts = 2\nretry = \"T/2\"\n", max_faults) +
          "[[explore.fault]]\nkind = \"crash\"\n[[explore.fault]]\nkind = \"pause\"\ntarget = \"clients\"\nfor = "
          "\"T\"\n"
          "[[explore.fault]]\nkind = \"half-open\"\n",
      subject.algorithm);
  return as_written(bounded(scenario, scenario.explore.value(), false));
}

Limits limits_of(bool reduce, bool exchange) {
  Limits limits{.reduce = reduce, .exchange = exchange, .probe_clients = false, .estimate = false};
  limits.go_on = [](const Progress& progress) { return progress.states <= 20'000; };
  return limits;
}

/// One entry strikes once, the other twice; at most two strike in all.
harness::Bounds two_entries() {
  harness::Bounds bounds;
  bounds.max_faults = 2;
  bounds.budget.resize(2);
  bounds.budget[1].most = 2;
  return bounds;
}

TEST(Budgets, HaveTheSameRestIfAsMuchIsLeft) {
  const harness::Bounds bounds = two_entries();
  Budgets budgets(bounds);
  const Id one = budgets.add({1, 0}), other = budgets.add({0, 1});
  EXPECT_NE(budgets.rest(Budgets::nothing), budgets.rest(one));
  EXPECT_NE(budgets.rest(one), budgets.rest(other));  // the first entry cannot strike any more
  EXPECT_EQ(budgets.rest(budgets.add({1, 1})), budgets.rest(budgets.add({0, 2})));
  EXPECT_NE(budgets.rest(one), budgets.rest(budgets.add({1, 1})));
}

TEST(Budgets, OfFewEntriesAreUsedUpBeforeAllFaultsAre) {
  harness::Bounds bounds = two_entries();
  bounds.max_faults = 9;
  Budgets budgets(bounds);
  EXPECT_NE(budgets.rest(budgets.add({0, 2})), budgets.rest(budgets.add({1, 1})));
  EXPECT_EQ(budgets.at(budgets.rest(budgets.add({1, 2}))), (std::vector<int>{1, 2}));
}

TEST(Budgets, AreAddedUp) {
  const harness::Bounds bounds = two_entries();
  Budgets budgets(bounds);
  const Id one = budgets.add({1, 0}), other = budgets.add({0, 1});
  EXPECT_EQ(budgets.known_after(one, Budgets::nothing), one);
  EXPECT_EQ(budgets.known_after(one, other), Budgets::none);
  EXPECT_EQ(budgets.at(budgets.after(one, other)), (std::vector<int>{1, 1}));
  EXPECT_EQ(budgets.known_after(one, other), budgets.after(one, other));
  EXPECT_EQ(budgets.used(budgets.after(one, other)), 2);
}

TEST(Rows, SayWhatSuccessorsSays) {
  for (const Subject& subject : subjects) {
    for (const bool reduce : {false, true}) {
      for (const bool exchange : {false, true}) {
        SCOPED_TRACE(fmt::format("{}, reduce {}, exchange {}", subject.algorithm, reduce, exchange));
        const harness::Scenario scenario = scenario_of(subject, 1);
        const Exploration found =
            explore_rechecked(scenario, *scenario.explore, limits_of(reduce, exchange), {.each_state = true});
        EXPECT_GT(found.states, 100U);
      }
    }
  }
}

std::string name_of(const testing::TestParamInfo<PlantedMistake>& info) {
  switch (info.param) {
    case PlantedMistake::none: return "None";
    case PlantedMistake::budget_left_out: return "BudgetLeftOut";
    case PlantedMistake::monitor_left_out: return "MonitorLeftOut";
    case PlantedMistake::early_by_one: return "EarlyByOne";
  }
  return "";
}

class PlantedMistakes : public testing::TestWithParam<PlantedMistake> {};
INSTANTIATE_TEST_SUITE_P(Each, PlantedMistakes,
                         testing::Values(PlantedMistake::budget_left_out, PlantedMistake::monitor_left_out,
                                         PlantedMistake::early_by_one),
                         name_of);

TEST_P(PlantedMistakes, AreNoticedByTheRecheck) {
  const harness::Scenario scenario = scenario_of(subjects[0], 1);
  const Recheck recheck{.each_state = true, .planted = GetParam()};
  const Limits limits = limits_of(false, false);
  EXPECT_THROW((void)explore_rechecked(scenario, *scenario.explore, limits, recheck), std::logic_error);
}

/// In small: both engines count, and one of them wrongly.
TEST_P(PlantedMistakes, AreNoticedByTheOtherEngine) {
  const Subject small{"set-px-token", "[workload]\nlease = \"2s\"\nwork = [\"read\", \"hold 1s\", \"write\"]\n"};
  const harness::Scenario scenario = scenario_of(small, 1);
  Limits limits{.reduce = false, .probe_clients = false, .estimate = false};
  const Exploration sound = explore_by_reexecution(scenario, *scenario.explore, limits);
  const Exploration fast = explore_stateful(scenario, *scenario.explore, limits);
  EXPECT_EQ(fast.states, sound.states);
  EXPECT_EQ(fast.transitions, sound.transitions);
  const Recheck mistaken{.each_state = false, .planted = GetParam()};
  limits.go_on = [&](const Progress& progress) { return progress.states <= 10 * sound.states; };
  std::uint64_t states = 0, transitions = 0;
  try {
    const Exploration wrong = explore_rechecked(scenario, *scenario.explore, limits, mistaken);
    states = wrong.states;
    transitions = wrong.transitions;
  } catch (const std::exception&) {
    return;  // it does not even come to an end
  }
  EXPECT_NE(std::pair(states, transitions), std::pair(sound.states, sound.transitions));
}

}  // namespace
}  // namespace lockproof::sim::rows_test
