// SPDX-License-Identifier: Apache-2.0
// The tree of a world's questions: each path is run once, whatever is left of the budget.
#include "search/automata/answers.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace lockproof::sim::answers_test {
namespace {

constexpr Budget::Offer pause{0, 0}, crash{1, 0};

harness::Bounds one_fault() {
  harness::Bounds bounds;
  bounds.max_faults = 1;
  bounds.budget.resize(2);
  return bounds;
}

/// A world that is paused, crashes, or does neither; then it asks which of two messages comes first.
class TwoQuestions {
 public:
  Answers::Run operator()(const Choices& choices, bool asks_faults) {
    const std::uint16_t fault = asks_faults && !choices.empty() ? choices[0] : std::uint16_t{0};
    Answers::Run run{.leaf = runs++};
    run.asked.push_back({.strike = true, .offers = {pause, crash}, .answer = fault});
    if (fault > 0) return run;
    const std::size_t place = asks_faults ? 1 : 0;
    run.asked.push_back({.options = options, .answer = choices.size() > place ? choices[place] : std::uint16_t{0}});
    return run;
  }
  std::uint32_t runs = 0;
  std::size_t options = 2;
};

using PathCoverage = std::vector<std::pair<Choices, std::uint32_t>>;

PathCoverage all_of(Answers& answers, Answers::Tree tree, const std::vector<int>& counts, TwoQuestions& world) {
  PathCoverage shown;
  const bool asks_faults = counts[0] + counts[1] == 0;
  answers.each(
      tree, counts, [&](const Choices& choices) { return world(choices, asks_faults); },
      [&](const Choices& path, std::uint32_t leaf) { shown.emplace_back(path, leaf); });
  return shown;
}

TEST(Answers, EachPathIsRunOnceWhateverIsLeftOfTheBudget) {
  const harness::Bounds bounds = one_fault();
  Answers answers(bounds);
  TwoQuestions world;
  const Answers::Tree tree = answers.add();
  const PathCoverage whole{{{0, 0}, 0}, {{0, 1}, 1}, {{1}, 2}, {{2}, 3}};
  EXPECT_EQ(all_of(answers, tree, {0, 0}, world), whole);
  EXPECT_EQ(all_of(answers, tree, {0, 0}, world), whole);
  EXPECT_EQ(all_of(answers, tree, {0, 1}, world), (PathCoverage{{{0, 0}, 0}, {{0, 1}, 1}})) << "no fault is left";
  EXPECT_EQ(world.runs, 4U);
}

TEST(Answers, WhatOneBudgetLeftOutAnotherOneAdds) {
  const harness::Bounds bounds = one_fault();
  Answers answers(bounds);
  TwoQuestions world;
  const Answers::Tree tree = answers.add();
  EXPECT_EQ(all_of(answers, tree, {1, 0}, world), (PathCoverage{{{0, 0}, 0}, {{0, 1}, 1}}));
  EXPECT_EQ(all_of(answers, tree, {0, 0}, world), (PathCoverage{{{0, 0}, 0}, {{0, 1}, 1}, {{1}, 2}, {{2}, 3}}));
  EXPECT_EQ(world.runs, 4U);
}

TEST(Answers, TreesShareQuestionsAndNoOutcomes) {
  const harness::Bounds bounds = one_fault();
  Answers answers(bounds);
  TwoQuestions world;
  const Answers::Tree one = answers.add(), other = answers.add();
  (void)all_of(answers, one, {0, 1}, world);
  world.options = 3;
  EXPECT_EQ(all_of(answers, other, {0, 1}, world), (PathCoverage{{{0, 0}, 2}, {{0, 1}, 3}, {{0, 2}, 4}}));
  EXPECT_EQ(all_of(answers, one, {0, 1}, world), (PathCoverage{{{0, 0}, 0}, {{0, 1}, 1}}));
}

TEST(Answers, AWorldThatAsksAnotherQuestionTheSecondTimeIsRefused) {
  const harness::Bounds bounds = one_fault();
  Answers answers(bounds);
  TwoQuestions world;
  const Answers::Tree tree = answers.add();
  (void)all_of(answers, tree, {0, 1}, world);
  const auto asks_another = [&](const Choices& choices) {
    Answers::Run run = world(choices, true);
    run.asked[0].offers = {pause};
    return run;
  };
  EXPECT_THROW(answers.each(tree, {0, 0}, asks_another, [](const Choices&, std::uint32_t) {}), std::logic_error);
}

}  // namespace
}  // namespace lockproof::sim::answers_test
