// SPDX-License-Identifier: Apache-2.0
#include "search/liveness/finish.hpp"

#include <algorithm>

#include "search/fuzz/fuzz.hpp"
#include "sim/kernel/choosers.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {
namespace {

constexpr int leases = 100;            // a probe client tries as long before the lock counts as dead
constexpr int leases_of_endless = 10;  // if rounds do not end, so that every run takes that long

bool ends(const harness::Scenario& scenario) {
  return std::ranges::none_of(scenario.clients,
                              [](const auto& c) { return c.plan.rounds == harness::rounds_for_ever; });
}

/// The longest lease that a run without faults of the budget grants, at least a second.
Duration longest_lease(const harness::Scenario& scenario) {
  ModelFactory models;
  FirstChooser first;
  World world(scenario, first, {.record = false, .record_inputs = false, .token_name = {}, .models = &models});
  Duration longest = seconds(1);
  while (world.now() < scenario.horizon && world.step()) longest = std::max(longest, world.longest_lease());
  return longest;
}

/// The longest time that faults of the budget can last, one after the other.
Duration faults_last(const harness::Bounds& budget) {
  Duration longest{};
  for (const harness::BudgetedFault& entry : budget.budget) {
    for (const harness::Fault& form : entry.forms) longest = std::max({longest, form.lasts, form.by});
  }
  return longest * budget.max_faults;
}

}  // namespace

Finish heal_then_finish(const harness::Scenario& endless, const harness::Bounds& budget, Duration horizon,
                        const FinishOrder& order) {
  Finish finish;
  harness::Scenario fuzzed = endless;
  fuzzed.horizon = horizon;
  finish.within = longest_lease(fuzzed) * (ends(fuzzed) ? leases : leases_of_endless);
  fuzzed.progress = fuzzed.waiting = finish.within;
  fuzzed.horizon = horizon + faults_last(budget) + finish.within * 2;
  const FuzzOrder fuzz_order{.strategy = Strategy::random,
                             .seed = order.seed,
                             .runs = order.runs,
                             .budget = &budget,
                             .workers = order.workers,
                             .go_on = order.go_on,
                             .stop = order.stop};
  const FuzzResult found = fuzz(fuzzed, fuzz_order);
  finish.runs = found.runs;
  for (const auto& [way, tally] : found.violated) {
    if (way.first != "deadlock-freedom" && way.first != "starvation-freedom") continue;
    const std::string kind = way.second.empty() ? "stuck" : way.second;
    finish.stuck.push_back({kind, tally.runs, tally.finding, as_scenario(fuzzed, fuzz_order, way, tally)});
  }
  std::stable_partition(finish.stuck.begin(), finish.stuck.end(),
                        [](const Finish::StandstillRuns& one) { return one.kind != "stuck"; });
  return finish;
}

}  // namespace lockproof::sim
