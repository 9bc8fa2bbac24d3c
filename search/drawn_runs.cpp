// SPDX-License-Identifier: Apache-2.0
#include "search/drawn_runs.hpp"

#include <algorithm>
#include <memory>

#include "harness/check/properties.hpp"
#include "harness/program/virtual_program.hpp"
#include "search/core/contention.hpp"
#include "search/fuzz/fuzz.hpp"
#include "search/results/counterexample.hpp"

namespace lockproof::search {
namespace {

constexpr std::uint64_t runs_most = 1000, programs_runs_most = 20;  // a step of a program costs more
constexpr std::uint64_t first_seed = 1;

bool is_searched(const harness::Scenario& scenario, const std::string& name) {
  return std::ranges::any_of(check::properties_of(scenario), [&](const check::Property& property) {
    return property.name == name && property.watch && check::is_claimed(property, scenario);
  });
}

harness::Scenario as_drawn(const Question& question, const harness::Scenario& searched) {
  const bool freely = question.bounds.contention != harness::Contention::as_written;
  harness::Scenario drawn = freely ? sim::asking_sooner(searched) : searched;
  drawn.horizon = question.scenario.horizon;  // a run ends
  return drawn;
}

}  // namespace

DrawnRuns draw_runs(const Question& question, const harness::Scenario& searched, const Limits& limits) {
  const harness::Scenario drawn = as_drawn(question, searched);
  sim::FuzzOrder order;
  order.seed = first_seed;
  order.runs = drawn.program ? programs_runs_most : runs_most;
  order.budget = &question.bounds;
  order.workers = std::max(1U, limits.workers);
  order.stop = limits.stop;
  const std::uint64_t events_most = std::min(limits.work, few_states);
  if (question.draws_last) order.enough = [&](const sim::FuzzResult& found) { return found.events >= events_most; };
  DrawnRuns result;
  try {
    const sim::FuzzResult found = sim::fuzz(drawn, order);
    result.runs = found.runs;
    for (const auto& [way, tally] : found.violated) {
      if (!is_searched(searched, way.first) || limits.stop.stop_requested()) continue;
      auto scenario = std::make_shared<const harness::Scenario>(sim::as_scenario(drawn, order, way, tally));
      sim::ShortestViolation broken;
      broken.faults = static_cast<int>(scenario->faults.size() - searched.faults.size());
      broken.depth = sim::events_until(*scenario, way);
      broken.drawn = std::move(scenario);
      result.violations.emplace(way, std::move(broken));
    }
  } catch (const harness::NotAFunction&) {
    return result;  // the search says so, too
  }
  return result;
}

}  // namespace lockproof::search
