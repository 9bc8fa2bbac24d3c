// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/choosers.hpp"

#include <array>

#include "harness/history/jsonl.hpp"
#include "harness/scenario/names.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::choosers_test {
namespace {

const auto unnamed = [](std::size_t) { return harness::EventName{}; };

TEST(RandomBits, AreTheNumbersOfSplitMix64) {
  RandomBits bits(1234567);  // reference values of the published algorithm
  EXPECT_EQ(bits.next(), 6457827717110365317u);
  EXPECT_EQ(bits.next(), 3203168211198807973u);
  EXPECT_EQ(bits.next(), 9817491932198370423u);
}

TEST(RandomChooser, StaysInTheWindowAndOnTheGridAndReachesBothEnds) {
  RandomChooser chooser(7);
  const harness::Window window{milliseconds(2), milliseconds(5)};
  std::array<int, 4> seen{};
  for (int i = 0; i < 400; ++i) {
    const Duration d = chooser.duration(window, milliseconds(1), unnamed);
    ASSERT_EQ(d % milliseconds(1), Duration{});
    ++seen.at(static_cast<std::size_t>((d - window.least) / milliseconds(1)));
  }
  for (const int count : seen) EXPECT_GT(count, 50);
}

TEST(RandomChooser, PicksEveryCandidate) {
  RandomChooser chooser(7);
  std::array<int, 3> seen{};
  for (int i = 0; i < 300; ++i) ++seen.at(chooser.first_of(3, unnamed));
  for (const int count : seen) EXPECT_GT(count, 50);
}

TEST(ScriptedChooser, TakesTheEventThatIsListedFirst) {
  const auto step = [](const char* text) { return harness::Step{.event = *harness::event_name_from(text)}; };
  const std::vector<harness::Step> steps{step("client-2 worker"), step("client-1 worker")};
  FirstChooser otherwise;
  ScriptedChooser chooser(steps, otherwise);
  const std::array candidates{"client-3 worker", "client-1 worker", "client-2 worker"};
  const auto name = [&](std::size_t i) { return *harness::event_name_from(candidates.at(i)); };
  EXPECT_EQ(chooser.first_of(3, name), 2u);
  EXPECT_EQ(chooser.first_of(2, name), 1u);
  EXPECT_EQ(chooser.first_of(1, name), 0u);  // not listed: the other chooser decides
  EXPECT_TRUE(chooser.unused().empty());
}

TEST(ScriptedChooser, TellsWhichStepsNeverHappened) {
  const std::vector<harness::Step> steps{{.event = *harness::event_name_from("client-9 worker"), .takes = {}}};
  FirstChooser otherwise;
  ScriptedChooser chooser(steps, otherwise);
  EXPECT_EQ(chooser.first_of(2, unnamed), 0u);
  EXPECT_EQ(chooser.unused(), std::vector<std::size_t>{0});
}

const char* const busy_scenario =
    "[workload]\nclients = 3\nrounds = 2\nwork = [\"read\", \"hold 20ms\", \"write\"]\n"
    "[network]\nlatency = [\"1ms\", \"4ms\"]\n";

TEST(Reproduction, TheStepsOfARandomRunLeadToTheSameHistoryWithoutItsSeed) {
  auto s = tests::scenario(busy_scenario);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    s.steps.clear();
    const auto random = run(s, seed);
    s.steps = schedule_of(s, seed);
    auto replayed = run(s, seed + 1000);
    replayed.header.seed = random.header.seed;
    ASSERT_EQ(to_jsonl(random), to_jsonl(replayed)) << "seed " << seed;
  }
}

TEST(Reproduction, StepsSurviveBeingWrittenAndReadBack) {
  const auto s = tests::scenario(busy_scenario);
  for (const harness::Step& step : schedule_of(s, 3)) {
    const auto read = harness::event_name_from(harness::to_text(step.event));
    ASSERT_TRUE(read) << harness::to_text(step.event);
    EXPECT_EQ(*read, step.event);
  }
}

TEST(Run, TheSameSeedGivesTheSameBytesAndAnotherSeedOthers) {
  const auto s = tests::scenario(busy_scenario);
  EXPECT_EQ(to_jsonl(run(s, 5)), to_jsonl(run(s, 5)));
  EXPECT_NE(to_jsonl(run(s, 5)), to_jsonl(run(s, 6)));
}

TEST(Run, AStepThatNeverHappensIsInTheHistory) {
  auto s = tests::scenario("[[step]]\nevent = \"client-1 -> redis-1 NOSUCH\"\n");
  const auto h = run(s, 1);
  EXPECT_EQ(tests::event(h, harness::What::unmet).word, "client-1 -> redis-1 NOSUCH");
  EXPECT_EQ(tests::judged(h, s, "exercised").verdict, check::Verdict::violated);
}

}  // namespace
}  // namespace lockproof::sim::choosers_test
