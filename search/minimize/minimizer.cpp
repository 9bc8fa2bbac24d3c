// SPDX-License-Identifier: Apache-2.0
#include "search/minimize/minimizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "harness/report/text/fault_text.hpp"
#include "search/results/counterexample.hpp"
#include "sim/run.hpp"

namespace lockproof::sim {
namespace {

constexpr std::size_t few_faults = 6;    // up to this number all subsets are tried
constexpr int few_times = 4;             // rounds, attempts: each number up to this is tried
constexpr std::uint64_t step_seeds = 4;  // a step is dropped if it does not matter with any of these
constexpr int most_proofs = 4;           // rounds of proofs until nothing more becomes less

Subset all_of(std::size_t count) {
  Subset all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

/// For each fault of `after`, the index of the one in `before` with the same form, wherever they strike.
Subset matched(const std::vector<harness::Fault>& before, const std::vector<harness::Fault>& after) {
  Subset matches;
  for (const harness::Fault& fault : after) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      const bool taken = std::ranges::count(matches, i) > 0;
      if (taken || form_of(before[i]) != form_of(fault)) continue;
      matches.push_back(i);
      break;
    }
  }
  return matches;
}

Subset composed(const Subset& outer, const Subset& inner) {
  Subset result;
  for (const std::size_t i : inner) result.push_back(outer[i]);
  return result;
}

}  // namespace

Minimizer::Minimizer(const harness::Scenario& scenario, Trial first, Trials& trials, const MinimizeOrder& order)
    : scenario_(scenario), trials_(trials), order_(order), best_(std::move(first)),
      faults_(all_of(scenario.faults.size())), clients_(all_of(scenario.clients.size())) {}

Minimization Minimizer::run() {
  Minimization result;
  tell("the whole violation");
  trials_.keep(cause_of(best_.shown->scenario, trials_.way()));
  trials_.hurry(true);
  search_it();
  trials_.hurry(false);
  if (!searched_) attempts(best_.events - 1);
  if (!searched_) search_it();
  trials_.hurry(true);
  faults();
  const bool again = trials_.gave_up();
  trials_.hurry(false);
  if (again) {
    attempts(best_.events);  // even if nothing becomes shorter: searches in which the property holds end sooner
    faults();
  }
  workload();
  attempts(best_.events - 1);
  windows();
  shorten();
  durations();
  for (int i = 0; i < most_proofs && prove(); ++i) {
  }
  fewer_steps();
  round_instants();
  result.way = trials_.way();
  result.shown = *std::move(best_.shown);
  result.after = {result.shown.scenario.faults.size(), result.shown.scenario.steps.size(), best_.events};
  result.changes = changes(scenario_, result.shown.scenario, faults_, clients_);
  result.needed = std::move(needed_);
  result.candidates = trials_.count();
  result.undecided = trials_.undecided();
  result.states = trials_.states();
  result.stopped = trials_.stopped();
  return result;
}

/// Searches the violation as it is, so that its shortest schedule is known.
void Minimizer::search_it() {
  const bool shown = attempt(candidate(), false);
  searched_ = (shown && !best_.ran_only) || answer_ == Answer::longer;
}

void Minimizer::faults() {
  const std::size_t count = best_.shown->scenario.faults.size();
  if (count > few_faults || !searched_) {
    const harness::Scenario base = candidate();
    const Subset base_origin = faults_;
    const auto breaks = [&](const Subset& kept) {
      tell(fmt::format("faults, {} of {}", kept.size(), count));
      return !trials_.gave_up() && attempt_without_faults_but(base, base_origin, kept);
    };
    if (count > 0) static_cast<void>(ddmin(count, breaks));
  }
  if (!searched_ || best_.shown->scenario.faults.size() > few_faults) return;
  for (std::size_t size = 0; size < best_.shown->scenario.faults.size(); ++size) {
    if (fewer_faults(size) || trials_.gave_up()) return;
  }
}

/// Tries fewer faults, as they are placed, or else wherever they strike.
bool Minimizer::fewer_faults(std::size_t size) {
  const harness::Scenario base = candidate();
  const Subset base_origin = faults_;
  tell(fmt::format("faults, {} of {}", size, base.faults.size()));
  for (const Subset& kept : subsets(base.faults.size(), size)) {
    if (attempt_without_faults_but(base, base_origin, kept)) return true;
    if (trials_.gave_up()) return false;
  }
  return size > 0 && attempt_anywhere(base, size, Trials::any_length);
}

void Minimizer::workload() {
  for (std::size_t i = best_.shown->scenario.clients.size(); i-- > 0;) {
    const auto less = without_client(candidate(), i);
    if (!less) continue;
    tell("without " + best_.shown->scenario.clients[i].name);
    if (attempt(*less, true)) clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (std::size_t i = 0; i < best_.shown->scenario.clients.size(); ++i) {
    const harness::Plan plan = best_.shown->scenario.clients[i].plan;
    for (int n = 1; n < std::min(plan.rounds, few_times + 1); ++n) {
      harness::Scenario less = candidate();
      less.clients[i].plan.rounds = n;
      tell("rounds of " + less.clients[i].name);
      if (attempt(less, true)) break;
    }
    for (int n = 1; n < std::min(plan.attempts.value_or(1), few_times + 1); ++n) {
      harness::Scenario less = candidate();
      less.clients[i].plan.attempts = n;
      tell("attempts of " + less.clients[i].name);
      if (attempt(less, true)) break;
    }
  }
}

/// Tries longer delays between attempts, in leases, and a start of 0 for all clients, so that fewer attempts find the
/// lock busy.
void Minimizer::attempts(int events_most) {
  tell("fewer attempts");
  trials_.hurry(true);  // a shorter schedule is found soon
  for (const int parts : {1, 2, 4}) {
    for (const bool at_once : {false, true}) {
      harness::Scenario less = candidate();
      for (harness::ClientSpec& client : less.clients) {
        client.plan.retry = Duration(client.plan.lease.value_or(less.algorithm->lease)) / parts;
        if (at_once && !client.plan.start_latest) client.plan.start = {};
      }
      const bool same = less.clients == best_.shown->scenario.clients;
      if (same || !attempt(less, true, events_most)) continue;
      searched_ |= !best_.ran_only;
      return trials_.hurry(false);
    }
  }
  trials_.hurry(false);
}

/// Tries one latency for all messages: the least, or else the most.
void Minimizer::windows() {
  for (harness::Window harness::Network::*window : {&harness::Network::latency, &harness::Network::replication}) {
    const harness::Window open = best_.shown->scenario.network.*window;
    if (open.least == open.most) continue;
    tell("one latency");
    for (const Duration latency : {open.least, open.most}) {
      harness::Scenario less = candidate();
      less.network.*window = {latency, latency};
      if (attempt(less, false)) break;
    }
  }
}

void Minimizer::shorten() {
  const harness::Scenario base = candidate();
  tell("a shorter schedule");
  if (!base.faults.empty()) attempt_anywhere(base, base.faults.size(), best_.events - 1);
}

void Minimizer::durations() {
  for (const Knob& knob : knobs_of(best_.shown->scenario)) shrink(knob);
}

void Minimizer::shrink(const Knob& knob) {
  tell(knob.what);
  static_cast<void>(least_that(knob.least, knob.most, [&](std::int64_t value) { return turn(knob, value); }));
}

harness::Scenario Minimizer::turned(const Knob& knob, std::int64_t value) const {
  harness::Scenario less = candidate();
  knob.set(less, value);
  return less;
}

bool Minimizer::turn(const Knob& knob, std::int64_t value) { return attempt(turned(knob, value), false); }

/// Tries to leave out each remaining part. True: something became less all the same.
bool Minimizer::prove() {
  if (trials_.stopped()) return false;
  needed_.clear();
  return prove_faults() || prove_durations();
}

bool Minimizer::prove_faults() {
  const harness::Scenario base = candidate();
  const Subset base_origin = faults_;
  const std::size_t count = base.faults.size();
  for (std::size_t i = 0; i < count; ++i) {
    tell(fmt::format("without the {}", harness::fault_text(base.faults[i])));
    Subset kept = all_of(count);
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
    if (attempt_without_faults_but(base, base_origin, kept)) return true;
    needed_.push_back({"without the " + harness::fault_text(base.faults[i]), answer_, states_, 0, true});
  }
  if (count < 2) return false;
  tell(fmt::format("{} of its faults, wherever they strike", count - 1));
  if (attempt_anywhere(base, count - 1, Trials::any_length)) return true;
  needed_.push_back({fmt::format("with {} of its faults, wherever they strike", count - 1), answer_, states_, 0, true});
  return false;
}

bool Minimizer::prove_durations() {
  const std::vector<Knob> knobs = knobs_of(best_.shown->scenario);
  for (std::size_t i = 0; i < knobs.size(); ++i) {
    const Knob& knob = knobs[i];
    if (knob.most <= knob.least) continue;
    const std::string less = fmt::format("{} {}", knob.what, knob.text(knob.most - 1));
    tell(less);
    if (turn(knob, knob.most - 1)) {
      const std::vector<Knob> now = knobs_of(best_.shown->scenario);
      if (now.size() == knobs.size()) shrink(now[i]);
      return true;
    }
    const Trial whole = trials_.fixed(turned(knob, knob.most - 1), Trials::any_length);
    needed_.push_back(
        {less, whole.answer == Answer::breaks ? Answer::longer : whole.answer, whole.states, whole.events, false});
  }
  return false;
}

/// For a violation that only its own run reproduces: the smallest set of [[step]]s that still reproduces it for every
/// random choice.
void Minimizer::fewer_steps() {
  if (!best_.ran_only) return;
  const harness::Scenario base = best_.shown->scenario;
  tell("steps");
  const auto breaks = [&](const Subset& kept) {
    if (trials_.stopped()) return false;
    harness::Scenario less = base;
    less.steps.clear();
    for (const std::size_t i : kept) less.steps.push_back(base.steps[i]);
    Trial trial{.answer = Answer::breaks};
    for (less.seed = step_seeds; less.seed > 0; --less.seed) {
      trial.shown = as_counterexample(less, trials_.way());
      trial.events = trial.shown ? events_until(trial.shown->scenario, trials_.way()) : 0;
      if (!trial.shown || trial.events > best_.events) return false;
    }
    best_ = std::move(trial);
    return true;
  };
  static_cast<void>(ddmin(base.steps.size(), breaks));
}

/// Moves attempts to round instants where they show the same violation in as many events.
void Minimizer::round_instants() {
  Counterexample rounded = *best_.shown;
  round_asks(rounded, trials_.way().first, trials_.way().second, order_.limits.stop_telling);
  if (events_until(rounded.scenario, trials_.way()) <= best_.events) best_.shown = std::move(rounded);
}

/// The best scenario so far, to be made smaller.
harness::Scenario Minimizer::candidate() const {
  harness::Scenario scenario = best_.shown->scenario;
  scenario.horizon = scenario_.horizon;
  scenario.explore = scenario_.explore;  // it says when clients ask
  return scenario;
}

/// Searches; if the search does not end, or does not find a violation that is known to exist, runs the scenario.
Trial Minimizer::look(const harness::Scenario& candidate, int events_most) {
  Trial trial = trials_.fixed(candidate, events_most);
  if (trial.answer == Answer::undecided || (never_breaks(trial.answer) && !searched_)) {
    Trial ran = trials_.rerun(candidate, events_most);
    if (ran.answer == Answer::breaks) trial = std::move(ran);
  }
  answer_ = trial.answer;
  states_ = trial.states;
  return trial;
}

bool Minimizer::attempt(const harness::Scenario& candidate, bool move) {
  return attempt(candidate, move, best_.events);
}

bool Minimizer::attempt(const harness::Scenario& candidate, bool move, int events_most) {
  Trial trial = look(candidate, events_most);
  if (trial.answer == Answer::breaks) {
    best_ = std::move(trial);
    return true;
  }
  return move && !candidate.faults.empty() && attempt_anywhere(candidate, candidate.faults.size(), events_most);
}

bool Minimizer::attempt_without_faults_but(const harness::Scenario& base, const Subset& base_origin,
                                           const Subset& kept) {
  harness::Scenario less = base;
  less.faults.clear();
  for (const std::size_t i : kept) less.faults.push_back(base.faults[i]);
  Trial trial = look(less, Trials::any_length);
  if (trial.answer != Answer::breaks) return false;
  best_ = std::move(trial);
  faults_ = composed(base_origin, kept);
  return true;
}

bool Minimizer::attempt_anywhere(const harness::Scenario& candidate, std::size_t faults, int events_most) {
  Trial trial = trials_.anywhere(candidate, faults, events_most);
  answer_ = trial.answer;
  states_ = trial.states;
  if (trial.answer != Answer::breaks) return false;
  faults_ = composed(faults_, matched(candidate.faults, trial.shown->scenario.faults));
  best_ = std::move(trial);
  return true;
}

void Minimizer::tell(const std::string& doing) const {
  if (order_.tell) order_.tell(doing);
}

}  // namespace lockproof::sim
