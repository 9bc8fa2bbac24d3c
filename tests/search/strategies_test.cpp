// SPDX-License-Identifier: Apache-2.0
// The strategies of a fuzzing run: each finds what it promises to find better than drawing evenly does, and all of them
// answer the same, however many workers there are and whoever made which part.
#include "harness/scenario/file/parse_bounds.hpp"
#include "harness/scenario/file/write.hpp"
#include "search/core/contention.hpp"
#include "search/fuzz/fuzz.hpp"
#include "search/fuzz/pct.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::strategies_test {
namespace {

using harness::Bounds;
using harness::Scenario;

Scenario catalogue_scenario(const std::string& name) {
  return harness::load_scenario(std::string(LOCKPROOF_SOURCE "/scenarios/") + name + ".toml");
}

Bounds budget(const Scenario& scenario, const char* name = "one-server") {
  return harness::load_budget(std::string(LOCKPROOF_SOURCE "/scenarios/budgets/") + name + ".toml", scenario);
}

/// A scenario within the bounds, as the command line fuzzes it.
Scenario within(const Scenario& scenario, const Bounds& bounds) {
  Scenario fuzzed = as_written(bounded(scenario, bounds, true));
  fuzzed.horizon = scenario.horizon;
  return fuzzed;
}

std::uint64_t runs_with(const FuzzResult& found, const ViolationKind& way) {
  const auto tally = found.violated.find(way);
  return tally == found.violated.end() ? 0 : tally->second.runs;
}

using Counts = std::map<ViolationKind, std::pair<std::uint64_t, std::uint64_t>>;
Counts counts(const FuzzResult& found) {
  Counts all;
  for (const auto& [way, tally] : found.violated) all[way] = {tally.runs, tally.first};
  return all;
}

void expect_same(const FuzzResult& one, const FuzzResult& other) {
  EXPECT_EQ(one.runs, other.runs);
  EXPECT_EQ(one.fresh, other.fresh);
  EXPECT_EQ(one.events, other.events);
  EXPECT_EQ(counts(one), counts(other));
  EXPECT_EQ(one.met, other.met);
  EXPECT_EQ(one.broken_premises, other.broken_premises);
  EXPECT_EQ(one.threads, other.threads);
}

class EachStrategy : public testing::TestWithParam<Strategy> {};
INSTANTIATE_TEST_SUITE_P(Of, EachStrategy, testing::ValuesIn(strategies()),
                         [](const auto& one) { return std::string(name(one.param)); });

TEST_P(EachStrategy, AnswersTheSameWithAnyNumberOfWorkers) {
  const Scenario written = catalogue_scenario("documented/leases/lease-outlived-twin");
  const Bounds bounds = budget(written);
  const Scenario scenario = within(written, bounds);
  FuzzOrder order{.strategy = GetParam(), .seed = 5, .runs = 700, .budget = &bounds};
  const FuzzResult alone = fuzz(scenario, order);
  EXPECT_EQ(alone.runs, 700u);
  EXPECT_FALSE(alone.violated.empty());
  for (const unsigned workers : {2u, 3u}) {
    order.workers = workers;
    expect_same(alone, fuzz(scenario, order));
  }
  order.seed = 6;
  EXPECT_NE(counts(alone), counts(fuzz(scenario, order))) << "another seed is another fuzz";
}

TEST_P(EachStrategy, FindsAreWrittenDownAsScenariosThatShowThem) {
  const Scenario written = catalogue_scenario("documented/leases/lease-outlived-twin");
  Bounds bounds = budget(written);
  bounds.max_faults = 2;
  bounds.latency = harness::Window{milliseconds(1), milliseconds(40)};
  const Scenario scenario = within(written, bounds);
  const FuzzOrder order{.strategy = GetParam(), .runs = 1000, .budget = &bounds};
  const FuzzResult found = fuzz(scenario, order);
  int shown = 0;
  for (const auto& [way, tally] : found.violated) {
    if (way.first == "exercised") continue;
    const Scenario finding = as_scenario(scenario, order, way, tally);
    const Scenario read = harness::parse_scenario("found.toml", to_toml(finding));
    const check::Finding judged = tests::judged(run(read, read.seed), read, way.first);
    EXPECT_EQ(judged.verdict, check::Verdict::violated) << way.first;
    EXPECT_EQ(judged.kind, way.second);
    EXPECT_LE(read.faults.size(), 2u);
    ++shown;
  }
  EXPECT_GE(shown, 2);
}

/// Five faults in one run, each kind up to four times: no run ends the program, and every finding can be run again.
TEST_P(EachStrategy, ManyFaultsInOneRunAreWrittenDownAsWell) {
  for (const auto& [file, topology] :
       {std::pair{"documented/leases/one-renew-failure-repaired-twin", "one-server"},
        std::pair{"documented/replication/min-replicas-lost-lock-twin", "master-replica"},
        std::pair{"documented/replication/sentinel-lost-lock-twin", "master-replica"},
        std::pair{"documented/redlock/redlock-drift-term-twin", "five-servers"}}) {
    const Scenario written = catalogue_scenario(file);
    Bounds bounds = budget(written, topology);
    bounds.max_faults = 5;
    for (harness::BudgetedFault& entry : bounds.budget) entry.most = 4;
    const Scenario scenario = within(written, bounds);
    const FuzzOrder order{.strategy = GetParam(), .seed = 4100, .runs = 1000, .budget = &bounds, .workers = 2};
    const FuzzResult found = fuzz(scenario, order);
    EXPECT_FALSE(found.violated.empty()) << file;
    for (const auto& [way, tally] : found.violated) EXPECT_NO_THROW((void)as_scenario(scenario, order, way, tally));
  }
}

TEST_P(EachStrategy, StopsAfterTheRunThatIsEnough) {
  const Scenario written = catalogue_scenario("documented/leases/lease-outlived-twin");
  const Bounds bounds = budget(written);
  const Scenario scenario = within(written, bounds);
  const ViolationKind way{"mutual-exclusion", "outlived"};
  FuzzOrder order{.strategy = GetParam(), .runs = 2000, .budget = &bounds, .workers = 2};
  order.enough = [&](const FuzzResult& found) { return found.violated.contains(way); };
  const FuzzResult found = fuzz(scenario, order);
  ASSERT_EQ(runs_with(found, way), 1u);
  EXPECT_EQ(found.violated.at(way).first + 1, found.runs);
}

/// Guided search is not among them: its runs build on each other.
class Sharded : public testing::TestWithParam<Strategy> {};
INSTANTIATE_TEST_SUITE_P(Of, Sharded, testing::Values(Strategy::random, Strategy::pct, Strategy::swarm),
                         [](const auto& one) { return std::string(name(one.param)); });

TEST_P(Sharded, PartsAddUpToTheWhole) {
  const Scenario written = catalogue_scenario("documented/leases/lease-outlived-twin");
  const Bounds bounds = budget(written);
  const Scenario scenario = within(written, bounds);
  FuzzOrder order{.strategy = GetParam(), .runs = 1001, .budget = &bounds};
  const FuzzResult whole = fuzz(scenario, order);
  std::uint64_t runs = 0, events = 0;
  Counts sum;
  for (std::uint64_t part = 1; part <= 3; ++part) {
    order.shard = {part, 3};
    const FuzzResult found = fuzz(scenario, order);
    EXPECT_EQ(found.runs, runs_of(order.shard, order.runs));
    runs += found.runs;
    events += found.events;
    for (const auto& [way, count] : counts(found)) {
      const auto [there, fresh] = sum.emplace(way, count);
      if (fresh) continue;
      there->second.first += count.first;
      there->second.second = std::min(there->second.second, count.second);
    }
  }
  EXPECT_EQ(runs, whole.runs);
  EXPECT_EQ(events, whole.events);
  EXPECT_EQ(sum, counts(whole));
}

TEST(Random, WithoutABudgetIsTheRunOfItsSeed) {
  const Scenario scenario = tests::scenario("[network]\nlatency = [\"1ms\", \"9ms\"]\n");
  const FuzzOrder order{.seed = 40, .runs = 4};
  const Tally third{.runs = 1, .first = 2, .finding = {}};
  EXPECT_EQ(write_down(scenario, order, third).steps, schedule_of(scenario, 42));
}

// PCT
// ------------------------------------------------------------------------------------------------------------------

/// Two threads whose steps are all due at once: one has a single step, the other `steps`. Whether the single one comes
/// just before the last: two orderings, so a bug of depth 2.
bool hits(Chooser& chooser, int steps) {
  const auto timer = [](const char* who) {
    return harness::EventName{.kind = harness::EventName::Kind::timer, .actor = who, .verb = "worker"};
  };
  bool single = true;
  for (int left = steps; left > 0;) {
    const std::size_t chosen =
        single ? chooser.first_of(2, [&](std::size_t i) { return timer(i == 0 ? "client-1" : "client-2"); })
               : chooser.first_of(1, [&](std::size_t) { return timer("client-2"); }) + 1;
    if (chosen == 0 && left == 1) return true;
    if (chosen == 0) single = false;
    if (chosen == 1) --left;
  }
  return false;
}

TEST(Pct, HitsAPlantedBugOfDepthTwoAsOftenAsItsBoundSaysAndRandomHardlyEver) {
  constexpr int steps = 16, runs = 4000;
  const Scenario scenario = tests::scenario("[workload]\nclients = 2\n");
  const Survey about{.events = steps + 1, .threads = 2, .occasions = 1, .occasions_of = {}};
  int pct = 0, random = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    PctChooser priorities(scenario, seed, about, 2, StrikePlan(seed, {}));
    SamplingChooser evenly(scenario, seed, {}, StrikePlan(seed, {}));
    pct += hits(priorities, steps);
    random += hits(evenly, steps);
  }
  constexpr int by_bound = runs / (2 * (steps + 1));  // N / (n k^(d-1)), about 117
  EXPECT_GT(pct, by_bound * 3 / 4);                   // three standard deviations are a quarter of it
  EXPECT_LT(random, 4);
}

TEST(Pct, OfDepthOneChangesNoPriorityAndSoMissesIt) {
  const Scenario scenario = tests::scenario("[workload]\nclients = 2\n");
  const Survey about{.events = 17, .threads = 2, .occasions = 1, .occasions_of = {}};
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    PctChooser priorities(scenario, seed, about, 1, StrikePlan(seed, {}));
    EXPECT_FALSE(hits(priorities, 16));
  }
}

unsigned broken_by(const std::string& text, const Bounds* bounds = nullptr) {
  const Scenario scenario = tests::scenario(text, "setnx-del");
  const FuzzOrder order{.strategy = Strategy::pct, .runs = 100, .budget = bounds};
  return fuzz(scenario, order).broken_premises;
}

/// Nothing takes time, nobody waits, nothing strikes: only order is open.
const std::string at_one_instant =
    "[workload]\nclients = 3\nattempts = 1\nwork = [\"read\", \"write\"]\n[network]\nlatency = \"0ms\"\n";

TEST(PctBound, HoldsWhereOnlyOrderIsOpen) { EXPECT_EQ(broken_by(at_one_instant), 0u); }

TEST(PctBound, DoesNotHoldWhereTimeDecides) {
  EXPECT_TRUE(
      broken_by("[workload]\nclients = 3\nattempts = 1\nwork = [\"hold 1ms\"]\n[network]\nlatency = \"0ms\"\n") &
      pct::timed);
  EXPECT_TRUE(broken_by("[workload]\nclients = 3\nattempts = 1\nwork = []\n[network]\nlatency = \"1ms\"\n") &
              pct::timed);
  EXPECT_TRUE(broken_by("[workload]\nclients = 3\nattempts = 2\nwork = []\n[network]\nlatency = \"0ms\"\n") &
              pct::timed)
      << "who found it busy comes again, by a timer";
}

TEST(PctBound, DoesNotHoldWhereDurationsAreDrawnOrFaultsStrike) {
  EXPECT_TRUE(broken_by("[network]\nlatency = [\"1ms\", \"2ms\"]\n") & pct::drew);
  Bounds bounds;
  bounds.budget.push_back({.kind = harness::FaultKind::crash, .forms = {{.kind = harness::FaultKind::crash}}});
  bounds.budget[0].forms[0].target = "client-1";
  EXPECT_EQ(broken_by(at_one_instant, &bounds) & pct::faults, pct::faults);
}

// Swarm, guided
// --------------------------------------------------------------------------------------------------------

/// A lost answer leaves the lock taken for longer than the bound; but nobody waits for it who has died since.
TEST(Swarm, ReachesWhatNeedsAKindOfFaultToBeAbsent) {
  using harness::FaultKind;
  const Scenario written =
      tests::scenario("[workload]\nclients = 1\nlease = \"10s\"\nwork = [\"hold 1s\"]\n[judge]\nprogress = \"7s\"\n");
  Bounds bounds = budget(written);
  bounds = {.max_faults = 8, .budget = bounds.budget};
  std::erase_if(bounds.budget, [](const auto& entry) {
    return entry.kind != FaultKind::half_open && entry.kind != FaultKind::crash && entry.kind != FaultKind::kill_task;
  });
  for (harness::BudgetedFault& entry : bounds.budget) entry.most = 8;
  const Scenario scenario = within(written, bounds);
  const ViolationKind way{"deadlock-freedom", "orphaned"};
  FuzzOrder order{.strategy = Strategy::random, .runs = 8000, .budget = &bounds, .workers = 2};
  const std::uint64_t random = runs_with(fuzz(scenario, order), way);
  order.strategy = Strategy::swarm;
  const std::uint64_t swarm = runs_with(fuzz(scenario, order), way);
  EXPECT_GT(random, 0u);
  EXPECT_GT(2 * swarm, 3 * random) << swarm << " and " << random;
}

TEST(Guided, MeetsMoreCombinationsThanRandomInAsManyRuns) {
  const Scenario written = catalogue_scenario("documented/leases/lease-outlived-twin");
  Bounds bounds = budget(written);
  bounds.max_faults = 2;
  const Scenario scenario = within(written, bounds);
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    FuzzOrder order{.strategy = Strategy::guided, .seed = seed, .runs = 3000, .budget = &bounds, .workers = 2};
    const FuzzResult guided = fuzz(scenario, order);
    order.strategy = Strategy::random;
    order.cover = true;
    const FuzzResult random = fuzz(scenario, order);
    EXPECT_GT(guided.met.size(), random.met.size() * 5 / 4) << random.met.size();
    EXPECT_LT(guided.fresh, guided.runs / 2);
    EXPECT_EQ(random.fresh, random.runs);
  }
}

/// What the scenarios show, from the budget of their topology: see shown.hpp; tests/data/strategies.md has all of them.
TEST_P(EachStrategy, FindsWhatSomeScenariosShow) {
  for (const auto& [file, way] :
       {std::pair{"documented/leases/lease-outlived", ViolationKind{"mutual-exclusion", "outlived"}},
        std::pair{"documented/servers/flushed-lock", ViolationKind{"mutual-exclusion", "double-grant"}},
        std::pair{"documented/notifications/missed-unlock-message", ViolationKind{"deadlock-freedom", "lost-wakeup"}},
        std::pair{"notes/setnx-del-crash", ViolationKind{"bounded-takeover", ""}},
        std::pair{"notes/get-then-del", ViolationKind{"owner-release", ""}}}) {
    const Scenario written = catalogue_scenario(file);
    const Bounds bounds = budget(written);
    const Scenario scenario = within(written, bounds);
    FuzzOrder order{.strategy = GetParam(), .runs = 2000, .budget = &bounds, .workers = 2};
    order.enough = [&sought = way](const FuzzResult& found) { return found.violated.contains(sought); };
    EXPECT_TRUE(fuzz(scenario, order).violated.contains(way)) << file;
  }
}

TEST(StrikePlans, PlaceFaultsEvenlyAndSeldomLate) {
  constexpr std::uint64_t occasions = 20;
  std::vector<int> where(occasions * 4, 0);
  int none = 0;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    StrikePlan plan(seed, {.most = 1, .occasions = occasions});
    const auto at = [&] {
      for (std::size_t i = 0; i < where.size(); ++i) {
        if (plan.strike(3) > 0) return i;
      }
      return where.size();
    }();
    at < where.size() ? ++where[at] : ++none;
  }
  for (std::size_t i = 0; i < occasions; ++i) EXPECT_NEAR(where[i], 20'000 * 7 / 8 * 6 / 7 / 20, 120) << i;
  EXPECT_GT(where[occasions * 2 - 1], 0) << "no occasion is out of reach";
  EXPECT_GT(none, 20'000 / 8 - 200);
}

}  // namespace
}  // namespace lockproof::sim::strategies_test
