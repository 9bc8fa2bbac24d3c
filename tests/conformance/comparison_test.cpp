// SPDX-License-Identifier: Apache-2.0
// The loop that looks for a difference, on a model and a "real server" that are a few numbers.
#include "conformance/core/comparison.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "conformance/core/mutant_names.hpp"

namespace lockproof::conformance::comparison_test {
namespace {

/// Steps are the numbers 0, 1, 2 …; what happens at a step is what the test says.
class Counting final : public StepwiseComparison<int> {
 public:
  using Happens = std::function<OptionalMismatch(const Counting&, int step)>;
  Counting(Rules rules, Happens happens) : StepwiseComparison(rules), happens_(std::move(happens)) {}

  int runs = 0;           // since the beginning of time
  std::set<int> ran;      // in this run
  std::set<int> late_in;  // runs in which the machine is late

  [[nodiscard]] bool late() override { return late_in.contains(runs) || late_in.contains(always); }
  [[nodiscard]] std::string text_of(const Steps& steps) const override {
    std::string text;
    for (const int step : steps) text += std::to_string(step) + " ";
    return text;
  }
  static constexpr int always = -1;

 protected:
  void reset() override {
    ++runs;
    ran.clear();
  }
  [[nodiscard]] int draw(std::size_t place) override { return static_cast<int>(place); }
  [[nodiscard]] OptionalMismatch run(const int& step) override {
    ran.insert(step);
    return happens_(*this, step);
  }
  void count(const int& /*step*/, Report& report) override { ++report.commands; }

 private:
  Happens happens_;
};

constexpr Rules ten{.sequence_steps = 10}, ten_in_time{.sequence_steps = 10, .depends_on_time = true};
const Options thirty{.commands = 30};

std::optional<Mismatch> agree(const Counting& /*all*/, int /*step*/) { return std::nullopt; }

TEST(Comparison, CountsWhatAgrees) {
  Counting comparison(ten, agree);
  const Report report = compare(comparison, thirty, "server 1");
  EXPECT_FALSE(report.difference);
  EXPECT_EQ(report.commands, 30u);
  EXPECT_EQ(report.sequences, 3u);
}

TEST(Comparison, KeepsTheStepsThatADifferenceNeeds) {
  Counting comparison(ten, [](const Counting& all, int step) -> std::optional<Mismatch> {
    if (step != 7 || !all.ran.contains(2)) return std::nullopt;
    return Mismatch{"one", "two"};
  });
  const Report report = compare(comparison, thirty, "server 1");
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->sequence, "2 7 ");
  EXPECT_EQ(report.difference->simulated, "one");
  EXPECT_EQ(report.difference->real, "two");
}

/// Fewer steps show another difference, which is not the one that was found.
TEST(Comparison, ShrinksToTheSameDifference) {
  Counting comparison(ten, [](const Counting& all, int step) -> std::optional<Mismatch> {
    if (step == 7) return all.ran.contains(2) ? Mismatch{"one", "two", "the reply"} : Mismatch{"a", "b", "the time"};
    return std::nullopt;
  });
  const Report report = compare(comparison, thirty, "server 1");
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->sequence, "2 7 ");
}

TEST(Comparison, DoesNotCountWhatItWasLateFor) {
  Counting comparison(ten, agree);
  comparison.late_in = {1, 3};
  const Report report = compare(comparison, thirty, "server 1");
  EXPECT_EQ(report.thrown_away, 2u);
  EXPECT_EQ(report.sequences, 3u);
  EXPECT_EQ(report.commands, 30u);
}

TEST(Comparison, GivesUpOnAMachineThatIsAlwaysLate) {
  Counting comparison(ten, agree);
  comparison.late_in = {Counting::always};
  EXPECT_THROW((void)compare(comparison, thirty, "server 1"), real::BadEnvironment);
}

std::optional<Mismatch> differ_in_first_run(const Counting& all, int step) {
  if (all.runs > 1 || step != 4) return std::nullopt;
  return Mismatch{"one", "two"};
}

/// It is hidden from nobody, with all the steps that were run.
TEST(Comparison, ReportsADifferenceThatComesOnce) {
  Counting comparison(ten, differ_in_first_run);
  const Report report = compare(comparison, thirty, "server 1");
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->sequence, "0 1 2 3 4 ");
  EXPECT_EQ(report.unconfirmed, 0u);
}

TEST(Comparison, NeedsASecondRunWhereTimeDecides) {
  Counting comparison(ten_in_time, differ_in_first_run);
  const Report report = compare(comparison, thirty, "server 1");
  EXPECT_FALSE(report.difference);
  EXPECT_EQ(report.unconfirmed, 1u);
  EXPECT_EQ(report.commands, 30u) << "an unconfirmed sequence is not counted";
}

/// All replays of the whole are late, and those of fewer steps are not.
TEST(Comparison, ShrinksWhatItIsLateForAsAWhole) {
  Counting comparison(ten, [](const Counting&, int step) -> std::optional<Mismatch> {
    if (step != 7) return std::nullopt;
    return Mismatch{"one", "two"};
  });
  comparison.late_in = {2, 3, 4, 5, 6};
  const Report report = compare(comparison, thirty, "server 1");
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(report.difference->sequence, "7 ");
}

/// A replay that the machine was late for says nothing, and is made again.
TEST(Comparison, ConfirmsWithAReplayThatIsInTime) {
  Counting comparison(ten_in_time, [](const Counting&, int step) -> std::optional<Mismatch> {
    if (step != 4) return std::nullopt;
    return Mismatch{"one", "two"};
  });
  comparison.late_in = {2, 3};
  const Report report = compare(comparison, {.commands = 30, .shrinks = false}, "server 1");
  ASSERT_TRUE(report.difference);
  EXPECT_EQ(comparison.runs, 4);
}

TEST(Comparison, RefusesAMutantThatThereIsNot) {
  const std::vector<MutantName> all{{"a", "rule"}};
  EXPECT_EQ(mutant_named(std::span<const MutantName>(all), ""), nullptr);
  EXPECT_EQ(mutant_named(std::span<const MutantName>(all), "a"), all.data());
  EXPECT_THROW((void)mutant_named(std::span<const MutantName>(all), "b"), std::invalid_argument);
}

}  // namespace
}  // namespace lockproof::conformance::comparison_test
