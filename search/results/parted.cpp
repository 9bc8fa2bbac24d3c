// SPDX-License-Identifier: Apache-2.0
#include "search/results/parted.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "harness/scenario/faults/unpreventable.hpp"
#include "search/core/contention.hpp"
#include "sim/kernel/choosers.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {
namespace {

using harness::BudgetedFault;
using harness::Fault;
using harness::Scenario;
using harness::Stage;

constexpr std::uint64_t seeds = 4;
constexpr int events_most = 20'000;

using StagedVerbs = std::set<std::pair<Stage, std::string>>;

/// What clients send and servers run, and how far the clients are then, in some runs without a fault of the budget.
/// What other schedules send besides is not told apart.
StagedVerbs staged_verbs(const Scenario& searched) {
  const Scenario scenario = as_written(searched);  // who asks freely need not ask at all
  StagedVerbs all{{Stage::holding, ""}, {Stage::leaving, ""}};
  const std::uint64_t runs = scenario.program ? 1 : seeds;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    ModelFactory models;
    RandomChooser random(seed);
    World world(scenario, random, {.record = true, .record_inputs = false, .token_name = {}, .models = &models});
    std::size_t seen = 0;
    for (int events = 0; events < events_most; ++events) {
      const bool goes_on = world.step();
      for (; seen < world.history().events.size(); ++seen) {
        const harness::Event& event = world.history().events[seen];
        if (event.what == harness::What::execute && event.command) all.emplace(Stage::serving, event.command->verb());
        if (event.what != harness::What::send || !event.command) continue;
        all.emplace(world.process(static_cast<std::size_t>(event.host)).stage(), event.command->verb());
      }
      if (!goes_on) break;
    }
  }
  return all;
}

/// Forms that are told apart whatever the search asks for, and those of clients from those of servers.
std::vector<std::vector<std::size_t>> groups_of(const Scenario& searched, const BudgetedFault& entry, bool by_spot) {
  std::map<std::pair<bool, bool>, std::vector<std::size_t>> groups;
  for (std::size_t form = 0; form < entry.forms.size(); ++form) {
    const Fault& fault = entry.forms[form];
    const bool of_client =
        std::ranges::find(searched.clients, fault.target, &harness::ClientSpec::name) != searched.clients.end();
    groups[{harness::gives_up_locks(searched, fault), by_spot && of_client}].push_back(form);
  }
  std::vector<std::vector<std::size_t>> all;
  for (auto& [of, forms] : groups) all.push_back(std::move(forms));
  return all;
}

std::vector<harness::Spot> spots_of(harness::FaultKind kind, const StagedVerbs& verbs) {
  std::set<harness::Spot> spots;
  for (const auto& [stage, verb] : verbs) spots.insert(harness::spot_of(kind, stage, verb));
  return {spots.begin(), spots.end()};
}

/// Whether the server loses the lock by it wherever it strikes: then it makes no difference where that is.
bool is_told_by_spot(const Scenario& searched, const BudgetedFault& part) {
  return !harness::gives_up_locks(searched, part);
}

bool is_of_lock(const Scenario& searched, const std::string& property, const PartedBudget& of,
                const std::vector<int>& counts) {
  std::vector<Fault> faults;
  for (std::size_t entry = 0; entry < counts.size(); ++entry) {
    if (counts[entry] > 0) faults.push_back(of.bounds.budget[entry].forms.front());
  }
  return !harness::is_unpreventable(searched, property, faults);
}

}  // namespace

void PartedBudget::number_as_whole(Exploration& found) const {
  const auto renumber = [this](TestCoverage& tested) {
    std::set<Budget::Offer> whole;
    for (const auto& [entry, form] : tested.of_budget) whole.insert({origins[entry].entry, origins[entry].forms[form]});
    tested.of_budget = std::move(whole);
  };
  renumber(found);
  if (found.timed) renumber(*found.timed);
}

PartedBudget parted(const Scenario& searched, const harness::Bounds& whole, bool by_spot) {
  PartedBudget result{whole, {}, false};
  result.bounds.budget.clear();
  const StagedVerbs verbs = by_spot && whole.max_faults > 0 ? staged_verbs(searched) : StagedVerbs();
  for (std::size_t i = 0; i < whole.budget.size(); ++i) {
    const std::size_t first = result.bounds.budget.size();
    const auto add = [&](BudgetedFault part, const std::vector<std::size_t>& forms) {
      part.part_of = first;
      result.bounds.budget.push_back(std::move(part));
      result.origins.push_back({i, forms});
    };
    for (const std::vector<std::size_t>& forms : groups_of(searched, whole.budget[i], by_spot)) {
      BudgetedFault part = whole.budget[i];
      part.forms.clear();
      for (const std::size_t form : forms) part.forms.push_back(whole.budget[i].forms[form]);
      result.unpreventable |= harness::gives_up_locks(searched, part);
      if (!verbs.empty() && is_told_by_spot(searched, part)) part.elsewhere = spots_of(part.kind, verbs);
      add(part, forms);
      for (const harness::Spot& spot : part.elsewhere) {
        BudgetedFault there = part;
        there.elsewhere.clear();
        there.spot = spot;
        add(std::move(there), forms);
      }
    }
    if (result.bounds.budget.size() == first + 1) result.bounds.budget.back().part_of.reset();
  }
  return result;
}

PartedBudget undivided(const harness::Bounds& whole) {
  PartedBudget result{whole, {}, false};
  for (std::size_t i = 0; i < whole.budget.size(); ++i) {
    std::vector<std::size_t> forms(whole.budget[i].forms.size());
    std::iota(forms.begin(), forms.end(), std::size_t{0});
    result.origins.push_back({i, std::move(forms)});
  }
  return result;
}

void prefer_preventable(const Scenario& searched, const PartedBudget& of, Exploration& found) {
  std::map<ViolationKind, std::pair<std::tuple<bool, int, int>, const ShortestViolation*>> best;
  for (const auto& [with, broken] : found.by_faults) {
    const auto& [way, counts] = with;
    const std::tuple rank{!is_of_lock(searched, way.first, of, counts), broken.faults, broken.depth};
    const auto known = best.find(way);
    if (known == best.end() || rank < known->second.first) best.insert_or_assign(way, std::pair(rank, &broken));
  }
  for (const auto& [way, one] : best) found.broken.insert_or_assign(way, *one.second);
}

}  // namespace lockproof::sim
