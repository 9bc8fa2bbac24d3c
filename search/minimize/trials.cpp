// SPDX-License-Identifier: Apache-2.0
#include "search/minimize/trials.hpp"

#include <algorithm>
#include <utility>

#include "harness/check/properties.hpp"
#include "search/core/contention.hpp"
#include "search/core/walk.hpp"
#include "search/minimize/smaller.hpp"
#include "search/search.hpp"
#include "sim/kernel/choosers.hpp"
#include "sim/run.hpp"

namespace lockproof::sim {
namespace {

constexpr std::uint64_t sooner = 20;      // a factor, for a search in a hurry
constexpr std::uint64_t rerun_seeds = 8;  // for what the steps leave open
const harness::Bounds no_faults{.max_faults = 0};
constexpr Duration no_horizon{std::int64_t{1} << 56};

/// The scenario without what fixes its schedules and what ends them. Clients ask as its bounds say, by default whenever
/// that matters.
harness::Scenario bare(harness::Scenario scenario) {
  contend(scenario, scenario.explore ? scenario.explore->contention : harness::Bounds().contention);
  scenario.steps.clear();
  scenario.explore.reset();
  if (!scenario.program) scenario.horizon = no_horizon;
  return scenario;
}

search::Answer explore(const harness::Scenario& scenario, const harness::Bounds& budget, const search::Limits& given,
                       int events_most, std::function<bool(const std::set<ViolationKind>&)> enough, bool& stopped) {
  search::Question question;
  question.scenario = scenario;
  question.bounds = budget;
  question.bounds.contention = scenario.contention;
  question.enough = std::move(enough);
  question.exchanges = question.written_first = question.in_parts = false;
  search::Limits limits = given;
  limits.go_on = [&](const Progress& progress) {
    if (given.go_on && !given.go_on(progress)) stopped = true;
    if (stopped) return false;
    return progress.faults < budget.max_faults || progress.depth <= events_most;
  };
  limits.stop_telling = given.stop;
  search::Answer answer = search::answer(question, limits);
  stopped = stopped || given.stop.stop_requested();
  return answer;
}

/// The answer of a search that found no violation, depending on what it exercised.
Answer without_a_break(const Exploration& found, const TestCoverage& by) {
  if (!found.complete) return Answer::undecided;
  return by.acquired && by.contended ? Answer::holds : Answer::vacuous;
}

}  // namespace

AnyViolation any_way(const harness::Scenario& scenario, const std::function<bool(const std::string&)>& asked,
                     const search::Limits& limits) {
  const auto enough = [&](const std::set<ViolationKind>& found) {
    return std::ranges::any_of(found, [&](const ViolationKind& way) { return asked(way.first); });
  };
  bool stopped = false;
  const Exploration found = explore(bare(scenario), no_faults, limits, Trials::any_length, enough, stopped).found;
  AnyViolation any{.answer = without_a_break(found, found), .states = found.states, .stopped = stopped};
  for (const check::Property& property : check::properties_of(scenario)) {
    for (const auto& [way, broken] : found.broken) {
      if (way.first != property.name || !asked(way.first)) continue;
      any.way = way;
      any.answer = Answer::breaks;
      return any;
    }
  }
  return any;
}

/// A budget of the candidate's faults without their places, but where the cause has to strike. Two equal faults become
/// one that may strike twice.
harness::Bounds Trials::budget_of(const harness::Scenario& candidate, std::size_t most) const {
  harness::Bounds bounds;
  bounds.max_faults = static_cast<int>(most);
  for (const harness::Fault& fault : candidate.faults) {
    const harness::Fault form = form_of(fault);
    const auto same = std::ranges::find_if(bounds.budget, [&](const auto& entry) { return entry.forms[0] == form; });
    if (same != bounds.budget.end()) {
      ++same->most;
    } else {
      bounds.budget.push_back({.kind = form.kind, .most = 1, .forms = {form}});
      if (cause_) bounds.budget.back().spot = cause_->spot_for(candidate, form);
    }
  }
  return bounds;
}

bool Trials::is_kept(const Counterexample& shown) const { return !cause_ || cause_->keeps(shown.scenario, way_); }

Trial Trials::fixed(const harness::Scenario& candidate, int events_most) {
  return search(candidate, no_faults, events_most);
}

Trial Trials::anywhere(const harness::Scenario& candidate, std::size_t faults, int events_most) {
  const harness::Bounds budget = budget_of(candidate, faults);
  harness::Scenario without = candidate;
  without.faults.clear();
  return search(std::move(without), budget, events_most);
}

Trial Trials::search(harness::Scenario candidate, const harness::Bounds& budget, int events_most) {
  if (stopped()) return {};
  ++count_;
  const Duration horizon = candidate.horizon;
  candidate = bare(std::move(candidate));
  const auto enough = [&](const std::set<ViolationKind>& found) { return found.contains(way_); };
  search::Limits limits = limits_;
  if (hurried_) limits.work /= sooner;
  const search::Answer answer = explore(candidate, budget, limits, events_most, enough, stopped_);
  const Exploration& found = answer.found;
  states_ += found.states;
  Trial trial{.answer = without_a_break(found, tested(found, way_.first)), .states = found.states};
  trial.other_kind = std::ranges::any_of(
      found.broken, [&](const auto& one) { return one.first.first == way_.first && one.first != way_; });
  const auto broken = found.broken.find(way_);
  if (broken != found.broken.end()) {
    trial.shown = answer.counterexample(way_, broken->second, horizon, limits_.stop_telling);
    if (trial.shown && !trial.shown->hidden) {
      trial.events = events_until(trial.shown->scenario, way_);
      trial.answer = trial.events > events_most ? Answer::longer : Answer::breaks;
      if (trial.answer == Answer::breaks && !is_kept(*trial.shown)) {
        trial.answer = Answer::otherwise;
        trial.shown.reset();
      }
      return trial;
    }
    trial.shown.reset();  // the same schedule breaks it in a more serious kind before
    trial.answer = Answer::undecided;
  }
  const bool too_deep =
      found.reached && found.reached->faults >= budget.max_faults && found.reached->depth > events_most;
  if (!found.complete) trial.answer = too_deep ? Answer::longer : Answer::undecided;
  gave_up_ |= hurried_ && trial.answer == Answer::undecided;
  was_undecided_ = trial.answer == Answer::undecided && !stopped_ && !hurried_;
  undecided_ += was_undecided_;
  return trial;
}

Trial Trials::rerun(const harness::Scenario& candidate, int events_most) {
  for (std::uint64_t seed = candidate.seed; seed < candidate.seed + rerun_seeds && !stopped_; ++seed) {
    if (limits_.stop.stop_requested() || (limits_.go_on && !limits_.go_on({}))) stopped_ = true;
    harness::Scenario one = candidate;
    one.steps = schedule_of(candidate, seed);
    auto shown = as_counterexample(std::move(one), way_);
    if (!shown) continue;
    const int events = events_until(shown->scenario, way_);
    if (events > events_most || !is_kept(*shown)) continue;
    undecided_ -= std::exchange(was_undecided_, false);
    return {Answer::breaks, 0, std::move(shown), events, true};
  }
  return {};
}

}  // namespace lockproof::sim
