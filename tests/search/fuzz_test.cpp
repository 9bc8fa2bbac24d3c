// SPDX-License-Identifier: Apache-2.0
// The fuzzing run: from the budget of its topology alone, without a scenario's own faults and steps, a search finds
// what the scenario shows; and it finds nothing that the lock claims cannot be.
#include <algorithm>
#include <filesystem>

#include "harness/scenario/file/parse_bounds.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "search/results/counterexample.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/fixtures.hpp"
#include "tests/search/shown.hpp"

namespace lockproof::sim::fuzz_test {
namespace {

using harness::Scenario;
using shown::budget_of, shown::covers, shown::faults_needed, shown::scenarios, shown::shown_by;
namespace fs = std::filesystem;

std::string name_of(const testing::TestParamInfo<std::string>& one) {
  std::string name = fs::path(one.param).stem();
  std::ranges::replace(name, '-', '_');
  return name;
}

class Fuzz : public testing::TestWithParam<std::string> {};

TEST_P(Fuzz, FindsWhatTheScenarioShows) {
  const Scenario written = harness::load_scenario(GetParam());
  const std::set<ViolationKind> wanted = shown_by(written);
  harness::Bounds budget = harness::load_budget(budget_of(written), written);
  const auto faults = faults_needed.find(written.name);
  if (faults != faults_needed.end()) budget.max_faults = faults->second;
  const bool stateful = stateful_engine_refuses(written, budget).empty();
  budget.contention = harness::Contention::as_written;  // with asks at any instant too large for a third of them
  const Scenario scenario = bounded(written, budget, true);
  Limits limits{.bytes = std::uint64_t{4} << 30};
  limits.enough = [&](const std::set<ViolationKind>& found) { return covers(found, wanted); };
  limits.go_on = [](const Progress& p) { return p.states < 2'000'000; };
  const auto search = stateful ? explore_stateful : explore_by_reexecution;
  const Exploration found = search(scenario, budget, limits);
  std::set<ViolationKind> ways;
  for (const auto& [way, broken] : found.broken) ways.insert(way);
  EXPECT_TRUE(covers(ways, wanted)) << found.states << " states";
  RecordProperty("states", static_cast<int>(found.states));
}

INSTANTIATE_TEST_SUITE_P(Of, Fuzz, testing::ValuesIn(scenarios()), name_of);

/// With one kind of fault only, one of it: on five servers each is enough.
TEST(FuzzingOfRedlock, EachFaultAloneIsEnough) {
  using harness::FaultKind;
  for (const auto& [name, kind, way] :
       {std::tuple{"redlock-pause-after-grant", FaultKind::pause, ViolationKind{"mutual-exclusion", "outlived"}},
        std::tuple{"redlock-node-clock-jump", FaultKind::clock_jump, ViolationKind{"mutual-exclusion", "double-grant"}},
        std::tuple{"redlock-immediate-restart", FaultKind::restart,
                   ViolationKind{"mutual-exclusion", "double-grant"}}}) {
    const Scenario written = harness::load_scenario(tests::scenario_file(name));
    harness::Bounds budget = harness::load_budget(budget_of(written), written);
    std::erase_if(budget.budget, [only = kind](const auto& entry) { return entry.kind != only; });
    Limits limits{};
    limits.enough = [&sought = way](const std::set<ViolationKind>& found) { return found.contains(sought); };
    limits.go_on = [](const Progress& p) { return p.states < 2'000'000; };
    const Exploration found = explore_stateful(bounded(written, budget, true), budget, limits);
    ASSERT_TRUE(found.broken.contains(way)) << name;
    EXPECT_EQ(found.broken.at(way).faults, 1) << name;
  }
}

class SharedBudget : public testing::TestWithParam<const char*> {};

/// A budget is for a topology and not for a scenario: durations are leases, every host may be struck, nothing is left
/// out that makes a scenario quick or another one slow.
TEST_P(SharedBudget, KnowsNoScenario) {
  const std::string file = std::string(LOCKPROOF_SOURCE "/scenarios/budgets/") + GetParam() + ".toml";
  for (const int lease_ms : {4'000, 10'000}) {
    const Scenario scenario = tests::scenario("[workload]\nlease = \"" + std::to_string(lease_ms) +
                                              "ms\"\n[servers]\nredis = 2\n"
                                              "[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n");
    const harness::Bounds budget = harness::load_budget(file, scenario);
    const Duration lease = milliseconds(lease_ms);
    const Duration slack = lease_beside_work(scenario, scenario.network.latency), grid = scenario.grid;
    const std::set<Duration> sides{lease / 2,   scenario.network.timeout - grid, slack, slack + grid, lease,
                                   lease + grid};
    const auto are_sides = [&](const std::set<Duration>& lengths) {
      return std::ranges::includes(sides, lengths) && lengths.contains(lease + grid);
    };
    EXPECT_EQ(budget.max_faults, 1);
    std::set<harness::FaultKind> kinds;
    for (const harness::BudgetedFault& entry : budget.budget) {
      EXPECT_EQ(entry.most, 1);
      EXPECT_TRUE(kinds.insert(entry.kind).second) << "one entry of each kind";
      std::set<Duration> lasts, by;
      std::set<std::int64_t> rates;
      for (const harness::Fault& form : entry.forms) {
        if (form.lasts != Duration{}) lasts.insert(form.lasts);
        if (form.by != Duration{}) by.insert(form.by);
        if (form.rate_ppb != 0) rates.insert(form.rate_ppb);
      }
      // What is sent again must be sent within the call's time-out.
      const bool within = std::ranges::all_of(lasts, [&](Duration one) { return one < scenario.network.timeout; });
      EXPECT_TRUE(entry.kind == harness::FaultKind::resend ? within : lasts.empty() || are_sides(lasts));
      const bool about_slack = lasts.contains(slack) && lasts.contains(slack + grid);
      EXPECT_TRUE(about_slack || lasts.empty() || entry.kind == harness::FaultKind::resend ||
                  entry.kind == harness::FaultKind::replication_stall);
      EXPECT_TRUE(rates.empty() || rates == std::set<std::int64_t>({-20'000'000, -10'000'000, 10'000'000, 20'000'000}));
      EXPECT_EQ(std::erase_if(by, [](Duration one) { return one < Duration{}; }),
                entry.kind == harness::FaultKind::clock_jump ? 2U : 0U);
      EXPECT_TRUE(by.empty() || are_sides(by));
      const bool replicates =
          entry.kind == harness::FaultKind::failover || entry.kind == harness::FaultKind::replication_stall;
      if (replicates) continue;
      std::set<std::string> targets;
      for (const harness::Fault& form : entry.forms) targets.insert(form.target);
      const bool clients = targets.contains("client-1"), servers = targets.contains("redis-1");
      const std::vector<std::string> all = scenario.host_names(clients, servers);
      EXPECT_EQ(targets, std::set<std::string>(all.begin(), all.end()));
    }
    EXPECT_EQ(kinds.size(), std::string(GetParam()) == "master-replica" ? 18u : 16u);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, SharedBudget,
                         testing::Values("one-server", "master-replica", "five-servers", "five-servers-contended"),
                         [](const auto& one) { return tests::as_test_name(one.param); });

}  // namespace
}  // namespace lockproof::sim::fuzz_test
