// SPDX-License-Identifier: Apache-2.0
// What the bench table says is what stands in the histories.
#include "harness/report/figures.hpp"

#include <gtest/gtest.h>

#include "harness/report/bench.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::tests::figures_test {
namespace {

using harness::Figures;
using harness::What;
using namespace std::chrono_literals;

const std::string two_rounds = "[workload]\nclients = 1\nrounds = 2\nthink_time = \"100ms\"\nwork = [\"hold 50ms\"]\n";
const std::string crash =
    "[workload]\nclients = 2\nlease = \"1s\"\nwork = [\"hold 50ms\"]\n[[client]]\nname = \"client-2\"\nstart = "
    "\"500ms\"\n"
    "[[fault]]\nkind = \"crash\"\ntarget = \"client-1\"\nwhen = \"client-1 enters\"\n";

Figures measured(const std::string& text, const std::string& algorithm = "set-px-token") {
  const harness::Scenario s = scenario(text, algorithm);
  return figures_of(run(s), s);
}

TEST(Figures, CountGrantsAndTheWaitsBeforeThem) {
  const Figures figures = measured(two_rounds);
  EXPECT_EQ(figures.acquisitions, 2);
  ASSERT_EQ(figures.waits.size(), 2u);
  for (const harness::Wait& wait : figures.waits) {
    EXPECT_EQ(wait.lasted, 2ms);  // to the server and back
    EXPECT_TRUE(wait.over);
  }
  // Twice 2 ms for the grant, 50 inside, 2 for the release, with 100 ms between.
  EXPECT_EQ(figures.window, 208ms);
  EXPECT_NEAR(figures.per_second(), 2 / 0.208, 1e-9);
  EXPECT_FALSE(figures.takeover);
}

TEST(Figures, AWaitThatTheEndCutOffLastedAtLeastSoLong) {
  const Figures figures = measured(
      "[workload]\nclients = 2\nwork = [\"hold 50s\"]\n[[client]]\nname = \"client-2\"\nstart = \"1s\"\n"
      "[run]\nhorizon = \"10s\"\n");
  ASSERT_EQ(figures.waits.size(), 2u);
  EXPECT_TRUE(figures.waits[0].over);
  EXPECT_FALSE(figures.waits[1].over);
  EXPECT_EQ(figures.waits[1].lasted, 9s);
}

TEST(Figures, TakeoverIsFromTheCrashToTheNextGrant) {
  const Figures figures = measured(crash);
  ASSERT_TRUE(figures.takeover);
  EXPECT_GE(*figures.takeover, 999ms);  // what is left of the lease, and the rest of a retry delay
  EXPECT_LE(*figures.takeover, 1060ms);
}

TEST(Figures, ALockThatNeverFreesItselfIsWatchedToTheEnd) {
  const Figures figures = measured(crash + "[run]\nhorizon = \"20s\"\n", "setnx-del");
  EXPECT_FALSE(figures.takeover);
  EXPECT_EQ(figures.watched, 20s - 2ms);
}

TEST(Figures, TellWhetherTwoWereInside) {
  EXPECT_EQ(measured(two_rounds).two_inside, "");
  EXPECT_EQ(measured("[workload]\nclients = 2\nlease = \"1s\"\nwork = [\"hold 2s\"]\n").two_inside, "outlived");
}

TEST(Percentile, IsTheNearestRank) {
  std::vector<harness::Wait> waits;
  EXPECT_FALSE(harness::percentile(waits, 50));
  for (int ms = 1; ms <= 200; ++ms) waits.push_back({std::chrono::milliseconds(ms), ms < 199});
  EXPECT_EQ(harness::percentile(waits, 50)->lasted, 100ms);
  EXPECT_EQ(harness::percentile(waits, 99)->lasted, 198ms);
  EXPECT_TRUE(harness::percentile(waits, 99)->over);
  EXPECT_FALSE(harness::percentile(waits, 100)->over);
  waits.resize(1);
  EXPECT_EQ(harness::percentile(waits, 1)->lasted, 1ms);
  EXPECT_EQ(harness::percentile(waits, 99)->lasted, 1ms);
}

Figures load(std::int64_t acquisitions, Duration wait) {
  Figures figures;
  figures.acquisitions = acquisitions;
  figures.window = 1s;
  figures.waits = {{wait, true}};
  return figures;
}
Figures dead(std::optional<Duration> takeover) {
  Figures figures;
  figures.takeover = takeover;
  figures.watched = 30s;
  return figures;
}

TEST(BenchCell, ShowsMediansAndTheSpread) {
  const auto cell = harness::bench_cell("a", "real", 2, {load(120, 3ms), load(100, 5ms), load(90, 4ms)},
                                        {dead(2s), dead(std::nullopt), dead(1s)});
  EXPECT_EQ(cell.rate, 100);
  EXPECT_EQ(cell.p50->lasted, 4ms);
  EXPECT_EQ(cell.takeover, 2s);  // never is later than any
  EXPECT_FALSE(cell.broken);
  EXPECT_NE(harness::bench_line({cell}).find("30%"), std::string::npos) << harness::bench_line({cell});
}

TEST(BenchCell, SaysNeverWhereMostNeverSawATakeover) {
  const auto cell =
      harness::bench_cell("a", "real", 2, {load(1, 1ms)}, {dead(std::nullopt), dead(std::nullopt), dead(1s)});
  EXPECT_FALSE(cell.takeover);
  EXPECT_EQ(cell.watched, 30s);
  EXPECT_NE(harness::bench_line({cell}).find("never"), std::string::npos);
}

TEST(BenchCell, MarksALockThatLetTwoIn) {
  Figures broken = load(500, 1ms);
  broken.two_inside = "double-grant";
  EXPECT_TRUE(harness::bench_cell("a", "real", 2, {load(1, 1ms), broken}, {dead(1s)}).broken);
  broken.two_inside = "outlived";  // the machine held its holder up, or its user: the lock kept its promise
  EXPECT_FALSE(harness::bench_cell("a", "real", 2, {load(1, 1ms), broken}, {dead(1s)}).broken);
}

}  // namespace
}  // namespace lockproof::tests::figures_test
