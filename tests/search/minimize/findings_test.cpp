// SPDX-License-Identifier: Apache-2.0
// From a random finding with more faults than it needs, minimize reaches a set of faults that a search over every
// schedule from the same budget proves to be minimal.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <set>

#include "harness/scenario/file/parse_bounds.hpp"
#include "harness/scenario/names.hpp"
#include "search/minimize/minimize.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/search/budget_of_leases.hpp"
#include "tests/search/minimize/random_finding.hpp"

namespace lockproof::sim::findings_test {
namespace {

using harness::FaultKind;
using harness::Scenario;

constexpr int planted = 4;  // faults of the finding
constexpr std::uint64_t seeds = 20'000;

/// A violation of the catalogue, and the budget of its topology.
struct Sought {
  const char* scenario;
  ViolationKind way;
  const char* budget = "one-server";
};

void PrintTo(const Sought& sought, std::ostream* out) { *out << sought.scenario; }

const ViolationKind double_grant{"mutual-exclusion", "double-grant"}, outlived{"mutual-exclusion", "outlived"};
const ViolationKind not_owner{"owner-release", ""};

std::multiset<FaultKind> kinds_of(const std::vector<harness::Fault>& faults) {
  std::multiset<FaultKind> kinds;
  for (const harness::Fault& fault : faults) kinds.insert(fault.kind);
  return kinds;
}

/// What a server does to the lock it keeps, which breaks every lock: left out where the scenario is not about it.
bool of_keepers(FaultKind kind) {
  switch (kind) {
    case FaultKind::clock_jump:
    case FaultKind::clock_rate:
    case FaultKind::restart:
    case FaultKind::power_cut:
    case FaultKind::evict:
    case FaultKind::flush:
    case FaultKind::script_flush:
    case FaultKind::client_pause: return true;
    default: return false;
  }
}

std::string text_of(const std::multiset<FaultKind>& kinds) {
  std::vector<std::string> names;
  for (const FaultKind kind : kinds) names.emplace_back(harness::name(kind));
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, " + "));
}

/// Every schedule, up to the first that breaks it in this way, which has the fewest faults.
Exploration every_schedule(const Scenario& scenario, const harness::Bounds& budget, const ViolationKind& way) {
  Limits limits;
  limits.estimate = false;
  limits.enough = [&](const std::set<ViolationKind>& found) { return found.contains(way); };
  limits.go_on = [](const Progress& p) { return p.states < 2'000'000; };
  const auto search = stateful_engine_refuses(scenario, budget).empty() ? explore_stateful : explore_by_reexecution;
  return search(scenario, budget, limits);
}

class Findings : public testing::TestWithParam<Sought> {};

TEST_P(Findings, AreMinimizedToWhatASearchProvesMinimal) {
  const auto& [name, way, topology] = GetParam();
  const Scenario written = harness::load_scenario(tests::scenario_file(name));
  harness::Bounds budget = tests::budget_of_leases(topology, written);
  budget.max_faults = planted;
  budget.contention = harness::Contention::as_written;  // with asks at any instant it would take minutes
  const std::multiset<FaultKind> own = kinds_of(written.faults);
  std::erase_if(budget.budget, [&](const auto& entry) { return of_keepers(entry.kind) && !own.contains(entry.kind); });
  // Where a pause and a partition from everybody stand in one run, either may do what the other is there for.
  for (harness::BudgetedFault& entry : budget.budget) {
    std::erase_if(entry.forms, [](const harness::Fault& form) { return form.peer == harness::all_hosts; });
  }
  const Scenario scenario = bounded(written, budget, true);

  auto finding = tests::random_finding(scenario, budget, way, 1, seeds);
  ASSERT_TRUE(finding) << "no random run shows it";
  finding->explore = harness::Bounds{.contention = harness::Contention::as_written, .max_faults = 0};
  const Minimum minimum = minimize(*finding, way.first, {});
  ASSERT_TRUE(minimum.found);
  const Minimization& found = *minimum.found;
  EXPECT_EQ(found.way, way);
  EXPECT_EQ(found.before.faults, static_cast<std::size_t>(planted));
  const std::multiset<FaultKind> reached = kinds_of(found.shown.scenario.faults);

  const Exploration all = every_schedule(scenario, budget, way);
  ASSERT_TRUE(all.broken.contains(way));
  EXPECT_EQ(static_cast<int>(reached.size()), all.broken.at(way).faults) << "the fewest: " << text_of(reached);

  harness::Bounds only = budget;  // the kinds that were reached, each as often
  std::erase_if(only.budget, [&](const auto& entry) { return !reached.contains(entry.kind); });
  for (harness::BudgetedFault& entry : only.budget) entry.most = static_cast<int>(reached.count(entry.kind));
  const Exploration same = every_schedule(scenario, only, way);
  ASSERT_TRUE(same.broken.contains(way));
  EXPECT_EQ(static_cast<int>(reached.size()), same.broken.at(way).faults) << "none of them could be left out";

  const auto shown = counterexample(scenario, budget, way.first, way.second, all.broken.at(way), written.horizon);
  ASSERT_TRUE(shown);
  fmt::print("| `{}` | {} {} | {} faults, {} steps, {} events | {}, {} steps, {} events | {}, {} events |\n", name,
             way.first, way.second, found.before.faults, found.before.steps, found.before.events, text_of(reached),
             found.after.steps, found.after.events, text_of(kinds_of(shown->scenario.faults)),
             all.broken.at(way).depth);
}

std::string name_of(const testing::TestParamInfo<Sought>& one) {
  std::string name = one.param.scenario;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Of, Findings,
                         testing::Values(Sought{"lease-outlived", outlived}, Sought{"blind-del", not_owner},
                                         Sought{"blind-release", double_grant}, Sought{"get-then-del", not_owner},
                                         Sought{"evicted-lock-key", double_grant}, Sought{"flushed-lock", double_grant},
                                         Sought{"server-clock-forward", double_grant},
                                         Sought{"late-set-ghost", ViolationKind{"deadlock-freedom", "orphaned"}},
                                         Sought{"fenced-on-writes-only", ViolationKind{"resource-safety", ""}},
                                         Sought{"failover-lost-lock", double_grant, "master-replica"}),
                         name_of);

}  // namespace
}  // namespace lockproof::sim::findings_test
