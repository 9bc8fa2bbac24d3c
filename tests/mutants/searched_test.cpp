// SPDX-License-Identifier: Apache-2.0
// Every mutant is caught by a search: a plain scenario without a fault, and the budget that all scenarios of one server
// share. That it is the mutation that is caught is shown with one kind of fault alone: in every schedule the algorithm
// as it is does not break in that way, and the mutant does.
#include <gtest/gtest.h>

#include "harness/scenario/file/parse_bounds.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/fixtures.hpp"
#include "tests/mutants/mutating_ports.hpp"

namespace lockproof::tests::searched_test {
namespace {

using harness::FaultKind;
using sim::ViolationKind;

const ViolationKind double_grant{"mutual-exclusion", "double-grant"};
const ViolationKind lost_update{"resource-safety", ""};
const ViolationKind not_owner{"owner-release", ""};
const ViolationKind takeover{"bounded-takeover", ""};
const ViolationKind unavailable{"availability", ""};
const ViolationKind twice{"once-per-period", ""};

struct SearchResult {
  std::string mutant;
  ViolationKind way;
  std::optional<FaultKind> with{};  // nothing: without a fault
  std::string more{};               // beyond the plain scenario
  /// Why a budget cannot tell it from the algorithm as it is, which breaks in this way too.
  std::string alike{};
};

void PrintTo(const SearchResult& one, std::ostream* out) { *out << one.mutant; }

const std::string plain =
    "[judge]\ntakeover = \"8500ms\"\n"
    "[workload]\nclients = 2\nlease = \"5s\"\nwork = [\"read\", \"hold 3s\", \"write\"]\n";
const std::string longer = "[workload]\nclients = 2\nlease = \"5s\"\nwork = [\"read\", \"hold 7s\", \"write\"]\n";
const std::string obedient = longer + "stop_on = \"deadline\"\n[network]\ntimeout = \"10s\"\n";
const std::string fenced = plain + "[resource]\nfencing = \"all\"\n";
const std::string one_of_three =
    "[judge]\navailable = \"4s\"\n[workload]\nclients = 2\nlease = \"5s\"\nwork = [\"hold 1s\"]\n"
    "[[client]]\nname = \"client-2\"\nstart = \"1s\"\n[servers]\nredis = 3\n";
const std::string kept =
    "[workload]\nclients = 2\nperiod = \"10s\"\nlease = \"8s\"\nrelease_tries = 0\nattempts = 1\nwork = [\"hold 1s\"]\n"
    "[[client]]\nname = \"client-2\"\nclock = \"-3s\"\n";
const std::string readers =
    "[workload]\nclients = 3\nlease = \"9s\"\nwork = [\"hold 3s\"]\nmode = \"shared\"\n"
    "[[client]]\nname = \"client-2\"\nwork = [\"hold 6s\"]\n"
    "[[client]]\nname = \"client-3\"\nmode = \"exclusive\"\nstart = \"1s\"\n";
const std::string permits = "permits = 2\n[workload]\nclients = 3\nwork = [\"hold 3s\"]\n";
std::string servers(int n) { return plain + "[servers]\nredis = " + std::to_string(n) + "\n"; }

const std::vector<SearchResult> searches{
    {"set-without-nx", double_grant},
    {"no-expiry", takeover, FaultKind::crash},
    {"milliseconds-taken-for-seconds", takeover, FaultKind::crash},
    {"seconds-taken-for-milliseconds", double_grant},
    {"no-token-check-on-release", not_owner, FaultKind::pause},
    {"one-token-for-all", not_owner, FaultKind::pause},
    {"refusal-taken-for-a-grant", double_grant},
    {"deadline-from-the-reply", double_grant, FaultKind::delay, obedient},
    {"no-comparison-after-get", not_owner, FaultKind::evict},
    {"set-ex-without-ex", takeover, FaultKind::crash},
    {"expire-of-zero", double_grant},
    {.mutant = "expire-left-out",
     .way = takeover,
     .with = FaultKind::crash,
     .alike = "a crash before EXPIRE leaves a lock without expiry, mutant or not; a budget does not say where"},
    {"setnx-answer-not-looked-at", double_grant},
    {"stamp-never-read", takeover, FaultKind::crash},
    {"every-stamp-is-past", double_grant},
    {"renewal-without-owner-check", not_owner, FaultKind::pause, longer},
    {"renewal-that-re-creates-the-key", not_owner, FaultKind::pause, longer},
    {"one-owner-for-all", double_grant},
    {"unlock-without-owner-check", not_owner, FaultKind::pause},
    {"hash-that-never-expires", takeover, FaultKind::crash},
    {"writer-that-says-it-reads", double_grant, {}, readers},
    {"reader-that-deletes-the-lock", double_grant, {}, readers},
    {"one-permit-too-many", double_grant, {}, permits},
    {"no-quorum", double_grant, {}, servers(3)},
    {"quorum-of-half", double_grant, {}, servers(4)},
    {"redlock-without-nx", double_grant, {}, servers(3)},
    {"every-server-needed", unavailable, FaultKind::restart, one_of_three},
    {"kept-for-milliseconds", twice, {}, kept},
    {"fencing-token-that-stands-still", lost_update, FaultKind::pause, fenced},
    {"no-fencing-token", lost_update, FaultKind::pause, fenced},
};

const Mutant& mutant_named(const std::string& name) { return *std::ranges::find(mutants(), name, &Mutant::name); }

harness::Scenario scenario_of(const SearchResult& searched, const Mutant& mutant) {
  return tests::scenario(searched.more.empty() ? plain : searched.more, mutant.algorithm);
}

harness::Bounds shared_budget(const harness::Scenario& scenario) {
  harness::Bounds budget = harness::load_budget(LOCKPROOF_SOURCE "/scenarios/budgets/one-server.toml", scenario);
  budget.contention = harness::Contention::as_written;  // with asks at any instant some take a minute each
  if (scenario.period) budget.attempts = 1;             // who finds the lock taken leaves the period to its holder
  return budget;
}

/// Nothing else of the budget than this kind of fault, or no fault.
harness::Bounds only(harness::Bounds budget, std::optional<FaultKind> kind) {
  std::erase_if(budget.budget, [&](const auto& entry) { return entry.kind != kind; });
  return budget;
}

sim::Exploration search(const harness::Scenario& scenario, const harness::Bounds& budget, const ViolationKind& until) {
  sim::Limits limits{};
  limits.enough = [&](const std::set<ViolationKind>& found) { return found.contains(until); };
  const harness::Scenario explored = sim::bounded(scenario, budget, true);
  EXPECT_EQ(sim::stateful_engine_refuses(explored, budget), "");
  return sim::explore_stateful(explored, budget, limits);
}

class SearchedMutants : public testing::TestWithParam<SearchResult> {};
INSTANTIATE_TEST_SUITE_P(All, SearchedMutants, testing::ValuesIn(searches), [](const auto& one) {
  std::string name = one.param.mutant;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_P(SearchedMutants, IsFoundFromTheSharedBudget) {
  const Mutant& mutant = mutant_named(GetParam().mutant);
  harness::Scenario scenario = scenario_of(GetParam(), mutant);
  const Algorithm wrong = mutated(mutant);
  scenario.algorithm = &wrong;
  const sim::Exploration found = search(scenario, shared_budget(scenario), GetParam().way);
  ASSERT_TRUE(found.broken.contains(GetParam().way)) << found.states << " states";
  EXPECT_EQ(found.broken.at(GetParam().way).faults, GetParam().with ? 1 : 0);
}

TEST_P(SearchedMutants, IsToldFromItsOriginalByOneKindOfFault) {
  const Mutant& mutant = mutant_named(GetParam().mutant);
  harness::Scenario scenario = scenario_of(GetParam(), mutant);
  const harness::Bounds budget = only(shared_budget(scenario), GetParam().with);
  const sim::Exploration original = search(scenario, budget, GetParam().way);
  EXPECT_EQ(original.broken.contains(GetParam().way), !GetParam().alike.empty()) << "the algorithm as it is";
  EXPECT_EQ(original.complete, GetParam().alike.empty());
  EXPECT_TRUE(original.acquired && original.contended);
  const Algorithm wrong = mutated(mutant);
  scenario.algorithm = &wrong;
  EXPECT_TRUE(search(scenario, budget, GetParam().way).broken.contains(GetParam().way)) << "the mutant";
}

TEST(SearchedMutants, AreAllMutants) {
  std::set<std::string> searched, all;
  for (const SearchResult& one : searches) searched.insert(one.mutant);
  for (const Mutant& mutant : mutants()) all.insert(mutant.name);
  EXPECT_EQ(searched, all);
}

}  // namespace
}  // namespace lockproof::tests::searched_test
