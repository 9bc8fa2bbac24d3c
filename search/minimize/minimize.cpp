// SPDX-License-Identifier: Apache-2.0
#include "search/minimize/minimize.hpp"

#include <algorithm>

#include "harness/check/properties.hpp"
#include "search/minimize/minimizer.hpp"
#include "sim/run.hpp"

namespace lockproof::sim {
namespace {

/// Whether a search can judge it, and it is asked for.
bool is_asked(const check::Property& one, const std::string& property) {
  return one.watch && (property.empty() || property == one.name);
}

/// The most serious violation of the scenario's own run.
std::optional<ViolationKind> broken_by_its_run(const harness::Scenario& scenario, const std::string& property) {
  const std::vector<check::Finding> findings = check::judge(run(scenario, scenario.seed), scenario);
  for (const check::Property& one : check::properties_of(scenario)) {
    const auto found = std::ranges::find(findings, one.name, &check::Finding::property);
    if (!is_asked(one, property) || found == findings.end()) continue;
    if (found->verdict == check::Verdict::violated) return ViolationKind{found->property, found->kind};
  }
  return std::nullopt;
}

/// The number of steps that fix a schedule; where there are none, the number of choices drawn.
std::size_t steps_of(const harness::Scenario& scenario) {
  return scenario.steps.empty() ? schedule_of(scenario, scenario.seed).size() : scenario.steps.size();
}

}  // namespace

Minimum minimize(const harness::Scenario& scenario, const std::string& property, const MinimizeOrder& order) {
  const auto shorten = [&](const ViolationKind& way, Trials& trials, Trial first, bool by_its_run) {
    const Size before{scenario.faults.size(), steps_of(by_its_run ? scenario : first.shown->scenario), first.events};
    Minimization found = Minimizer(scenario, std::move(first), trials, order).run();
    found.way = way;
    found.by_its_run = by_its_run;
    found.before = before;
    return Minimum{.found = std::move(found)};
  };
  if (const auto way = broken_by_its_run(scenario, property)) {
    Trials trials(*way, order.limits);
    Trial first{.answer = Answer::breaks, .shown = as_counterexample(scenario, *way)};
    first.events = events_until(scenario, *way);
    first.ran_only = true;
    return shorten(*way, trials, std::move(first), true);
  }
  if (order.tell) order.tell("does another schedule break anything?");
  const auto asked = [&](const std::string& name) {
    return std::ranges::any_of(check::properties_of(scenario),
                               [&](const auto& p) { return p.name == name && is_asked(p, property); });
  };
  const AnyViolation any = any_way(scenario, asked, order.limits);
  Minimum minimum{.found = {}, .other_schedules = any.answer, .states = any.states, .stopped = any.stopped};
  if (!any.way) return minimum;
  Trials trials(*any.way, order.limits);
  Trial first = trials.fixed(scenario);
  if (first.answer == Answer::breaks) return shorten(*any.way, trials, std::move(first), false);
  minimum.other_schedules = Answer::undecided;
  return minimum;
}

}  // namespace lockproof::sim
