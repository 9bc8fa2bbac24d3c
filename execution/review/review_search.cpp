// SPDX-License-Identifier: Apache-2.0
#include "execution/review/review_search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "harness/report/text/told_fault.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/write.hpp"
#include "harness/scenario/names.hpp"
#include "search/core/contention.hpp"
#include "search/results/counterexample.hpp"
#include "search/results/vacuity.hpp"
#include "search/search.hpp"

namespace lockproof::execution {
namespace {

using harness::Concern;
using harness::ReviewCause;
using harness::ReviewCell;

std::string property_of(Concern concern) {
  switch (concern) {
    case Concern::two_at_once: return "mutual-exclusion";
    case Concern::runs_twice: return "once-per-period";
    case Concern::stuck: return "deadlock-freedom";
    case Concern::data_lost: return "resource-safety";
  }
  return "";
}

search::Question question_of(const harness::Scenario& scenario) {
  search::Question question;
  question.scenario = scenario;
  question.bounds = scenario.explore.value_or(harness::Bounds{});
  question.written_first = false;
  question.draws_last = true;
  return question;
}

bool breaks(const std::set<sim::ViolationKind>& found, const std::string& property) {
  return std::ranges::any_of(found, [&](const sim::ViolationKind& way) { return way.first == property; });
}

std::string label_of(const std::vector<harness::Fault>& faults) {
  std::vector<std::string> labels;
  for (const harness::Fault& fault : faults) labels.emplace_back(harness::label(fault));
  return labels.empty() ? "no fault" : fmt::format("{}", fmt::join(labels, " + "));
}

}  // namespace

ReviewSearch::ReviewSearch(const std::string& name, const std::string& toml, const search::Limits& limits,
                           const std::set<Concern>& enough, bool again)
    : toml_(toml), limits_(limits), scenario_(harness::parse_scenario(name, toml)),
      bounds_(scenario_.explore.value_or(harness::Bounds{})) {
  explored_ = scenario_;
  if (limits.stop.stop_requested()) return;  // nothing is known then
  search::Question question = question_of(scenario_);
  question.small_first = !again;
  if (enough.empty()) {
    question.goal = search::Goal::fault_sets;
  } else {
    question.enough = [&](const std::set<sim::ViolationKind>& found) {
      return std::ranges::all_of(enough, [&](Concern concern) { return breaks(found, property_of(concern)); });
    };
  }
  search::Answer answer = search::answer(question, limits);
  explored_ = std::move(answer.scenario);
  ended_early_ = answer.end == search::End::enough;
  found_ = sim::frontier_of(std::move(answer.found), bounds_);
  if (enough.empty()) return;
  for (const auto& [way, broken] : found_.found.broken) found_.enough[way.first].push_back({{}, way.second, broken});
}

std::vector<std::string> ReviewSearch::never_struck() const {
  return found_.found.complete ? sim::never_struck(bounds_, found_.found.of_budget) : std::vector<std::string>{};
}

std::vector<ReviewCause> ReviewSearch::causes(const std::string& property) const {
  std::vector<ReviewCause> all;
  const auto enough = found_.enough.find(property);
  if (enough == found_.enough.end()) return all;
  for (const sim::MinimalFaults& one : enough->second) {
    if (limits_.stop.stop_requested() && !all.empty()) break;  // to say that it breaks, one is enough
    auto shown =
        sim::counterexample(explored_, bounds_, property, one.kind, one.broken, scenario_.horizon, limits_.stop, true);
    if (!shown || shown->hidden) continue;
    harness::Scenario& scenario = shown->scenario;
    const std::string label = label_of(scenario.faults);
    if (std::ranges::find(all, label, &ReviewCause::label) != all.end()) continue;
    ReviewCause cause{.words = harness::told(scenario.faults),
                      .label = label,
                      .property = property,
                      .kind = one.kind,
                      .faults = scenario.faults.size(),
                      .events = one.broken.depth,
                      .scenario = "",
                      .file = ""};
    scenario.title = fmt::format("{}: {}", property, cause.words);
    scenario.text = harness::to_toml(scenario);
    cause.scenario = scenario.text;
    all.push_back(std::move(cause));
  }
  return all;
}

std::string ReviewSearch::why_unknown(const std::string& property) const {
  const sim::Exploration& found = found_.found;
  if (ended_early_) return "not searched further, since what is broken without it is broken still";
  if (!found.complete) {
    const std::string how = limits_.stop.stop_requested() ? "it was stopped" : "more than the work allowed";
    return fmt::format("{}: {} states were searched", how, found.states);
  }
  if (!found.judged.contains(property)) return "whether a further client gets the lock could not be decided";
  const sim::TestCoverage& tested = sim::tested(found, property);
  // Clients that come by a period all come; whether they meet is part of the question.
  if (property == property_of(Concern::runs_twice)) return tested.acquired ? "" : "no client ever gets the lock";
  return sim::why_uncontended(tested);
}

ReviewCell ReviewSearch::cell(Concern concern) const {
  const std::string property = property_of(concern);
  ReviewCell cell;
  cell.causes = causes(property);
  if (!cell.causes.empty()) {
    cell.verdict = ReviewCell::Verdict::broken;
    return cell;
  }
  cell.why = why_unknown(property);
  cell.verdict = cell.why.empty() ? ReviewCell::Verdict::held : ReviewCell::Verdict::unknown;
  return cell;
}

void add(ReviewCell& into, ReviewCell more) {
  for (ReviewCause& cause : more.causes) {
    const auto known = std::ranges::find(into.causes, cause.label, &ReviewCause::label);
    if (known == into.causes.end()) into.causes.push_back(std::move(cause));
  }
  std::ranges::stable_sort(into.causes, {}, &ReviewCause::faults);
  if (into.verdict == ReviewCell::Verdict::not_asked) into.verdict = more.verdict, into.why = more.why;
  if (more.verdict == ReviewCell::Verdict::unknown && into.verdict == ReviewCell::Verdict::held)
    into.verdict = more.verdict, into.why = more.why;
  if (more.verdict == ReviewCell::Verdict::broken) into.verdict = more.verdict;
}

void change_run(ReviewCause& cause, const std::string& name, ChangeRun change, const std::stop_token& stop) {
  auto run = sim::as_counterexample(harness::parse_scenario(name, cause.scenario), {cause.property, cause.kind});
  if (!run) return;
  change(*run, cause.property, cause.kind, stop);
  cause.scenario = harness::to_toml(run->scenario);
}

HoldVerdict holds(const std::string& name, const std::string& toml, const std::string& property,
                  const search::Limits& limits, std::uint64_t& states) {
  const harness::Scenario scenario = harness::parse_scenario(name, toml);
  search::Question question = question_of(scenario);
  question.probes = false;
  question.enough = [&](const std::set<sim::ViolationKind>& found) { return breaks(found, property); };
  const sim::Exploration found = search::answer(question, limits).found;
  states += found.states;
  const bool broken = std::ranges::any_of(found.broken, [&](const auto& one) { return one.first.first == property; });
  if (broken) return HoldVerdict::no;
  const bool shown =
      found.complete && sim::why_vacuous(scenario, question.bounds, sim::tested(found, property)).empty();
  return shown ? HoldVerdict::yes : HoldVerdict::unknown;
}

}  // namespace lockproof::execution
