// SPDX-License-Identifier: Apache-2.0
#include "execution/explain/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <vector>

#include "algorithms/expiry.hpp"
#include "execution/explain/remedies.hpp"
#include "harness/check/properties.hpp"
#include "harness/input_error.hpp"
#include "harness/report/text/told_fault.hpp"
#include "harness/scenario/faults/unpreventable.hpp"
#include "harness/scenario/services.hpp"
#include "search/minimize/minimize.hpp"
#include "search/search.hpp"
#include "sim/run.hpp"

namespace lockproof::execution {
namespace {

using check::Finding;
using harness::ExplainedRemedy;
using harness::ExplainedReport;
using harness::Scenario;

std::optional<Finding> worst(const harness::History& history, const Scenario& scenario, const std::string& property) {
  const std::vector<Finding> findings = check::judge(history, scenario);
  const Finding* const found = harness::worst_of(findings, property);
  return found ? std::optional(*found) : std::nullopt;
}

/// A schedule of its [explore], or of its own faults, that breaks something.
std::optional<Scenario> found_by_search(const Scenario& scenario, const std::string& property,
                                        const ExplainOrder& order) {
  search::Question question;
  question.scenario = scenario;
  question.bounds = scenario.explore.value_or(harness::Bounds{});
  const auto asked = [&](const std::string& name) { return property.empty() || property == name; };
  question.enough = [&](const std::set<sim::ViolationKind>& found) {
    return std::ranges::any_of(found, [&](const sim::ViolationKind& way) { return asked(way.first); });
  };
  search::Answer answer;
  try {
    answer = search::answer(question, order.limits);
  } catch (const harness::InputError&) {  // nothing was searched
    throw;
  } catch (const std::runtime_error&) {  // a search that cannot go on has found nothing
    return std::nullopt;
  }
  for (const check::Property& one : check::properties_of(scenario)) {
    for (const auto& [way, broken] : answer.found.broken) {
      if (way.first != one.name || !asked(way.first)) continue;
      auto shown = answer.counterexample(way, broken, scenario.horizon);
      if (shown && !shown->hidden) return std::move(shown->scenario);
    }
  }
  return std::nullopt;
}

/// What is needed, as far as searches have shown it; `remedies` begin with each fault left out.
std::vector<harness::NeededFault> needed_faults(const Scenario& shown, const std::vector<ExplainedRemedy>& remedies,
                                                sim::Trials& trials) {
  const std::vector<sim::CausePart> struck = sim::struck_until(shown, trials.way());
  const bool by_lease = expiry_of(*shown.algorithm) != Expiry::none;
  std::vector<harness::NeededFault> needed;
  for (std::size_t i = 0; i < shown.faults.size(); ++i) {
    if (!remedies[i].mends) continue;
    harness::NeededFault one{shown.faults[i]};
    const auto part = std::ranges::find(struck, i, &sim::CausePart::fault);
    one.has_lock = by_lease && part != struck.end() && part->spot.stage == harness::Stage::holding;
    if (one.has_lock && one.fault.kind == harness::FaultKind::pause) {
      one.bound = pause_bound(shown, i, trials).value_or("");
    }
    needed.push_back(std::move(one));
  }
  return needed;
}

std::string assumption_text(const harness::History& history, const Scenario& shown,
                            const std::vector<ExplainedRemedy>& remedies, sim::Trials& trials) {
  const std::vector<harness::NeededFault> needed = needed_faults(shown, remedies, trials);
  if (!needed.empty() || shown.faults.empty()) return harness::assumed(history, needed);
  const auto of_faults = std::span(remedies).first(shown.faults.size());
  return std::ranges::any_of(of_faults, &ExplainedRemedy::unknown)
             ? "Which of its faults it needs is not known: the searches were too large"
             : "None of its faults is needed: it can happen without any one of them";
}

std::string decisive_text(const DecisiveEvent& decisive) {
  if (!decisive.known) return "After which event it could no longer be averted is not known";
  const std::string when = harness::in_seconds(decisive.at);
  if (decisive.from_the_start)
    return "It could not be averted from the start: no order of events without a further fault avoids it";
  return fmt::format(
      "It could no longer be averted after {}, when {}: before that some continuation without a further "
      "fault is safe, and after it none {}",
      when, decisive.event, decisive.all_tried ? "is" : fmt::format("of the {} that were tried", decisive.tried));
}

/// Nothing is said of a lock of one's own that does not say where it is from.
std::string sources_text(const Scenario& scenario) {
  const std::string_view from = scenario.algorithm->source;
  std::vector<std::string> parts;
  if (!scenario.source.empty()) parts.push_back("published in: " + scenario.source);
  if (scenario.program) parts.push_back(fmt::format("the lock is a program of its own, {}", scenario.algorithm->name));
  if (!scenario.program && !from.empty()) parts.push_back(fmt::format("the lock is from: {}", from));
  std::string text = fmt::format("{}", fmt::join(parts, "; "));
  if (!text.empty()) text.front() = text.front() == 'p' ? 'P' : 'T';
  return text;
}

}  // namespace

std::optional<Violation> violation_of(const Scenario& scenario, const std::string& property,
                                      const harness::History* real, const ExplainOrder& order) {
  Scenario shown = scenario;
  harness::History history = real ? *real : sim::run(shown, shown.seed);
  std::optional<Finding> finding = worst(history, shown, property);
  if (!finding && !real) {
    if (auto found = found_by_search(scenario, property, order)) {
      shown = std::move(*found);
      shown.source = scenario.source;
      history = sim::run(shown, shown.seed);
      finding = worst(history, shown, property);
    }
  }
  if (!finding) return std::nullopt;
  return Violation{std::move(shown), std::move(history), std::move(*finding)};
}

std::optional<ExplainedReport> explain(const Scenario& scenario, const std::string& property,
                                       const harness::History* real, const ExplainOrder& order) {
  const auto violation = violation_of(scenario, property, real, order);
  if (!violation) return std::nullopt;
  const auto& [shown, history, finding] = *violation;
  const sim::ViolationKind way{finding.property, finding.kind};
  ExplainedReport report;
  report.file = scenario.called;
  report.title = scenario.title;
  report.property = way.first;
  report.kind = way.second;
  report.belief = harness::believed(history, finding);
  sim::Trials trials(way, order.limits);
  const auto tell = [&](const std::string& doing) {
    if (order.tell) order.tell(doing);
  };
  const auto search = [&](const std::vector<Candidate>& candidates, const char* what, bool changes) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      tell(fmt::format("{} {} of {}", what, i + 1, candidates.size()));
      report.remedies.push_back(searched(candidates[i], trials, changes));
    }
  };
  search(without_a_fault(shown), "leaving out fault", false);
  report.assumption = assumption_text(history, shown, report.remedies, trials);
  search(with_a_change(shown, history), "remedy", true);
  tell("which event decided it");
  report.decisive = decisive_text(decisive_event(shown, shown.seed, way, order.limits.stop_telling));
  report.prevention = prevention_text(report.remedies);
  if (harness::is_unpreventable(shown, way.first, shown.faults)) {
    report.prevention += fmt::format("; no lock on {} can prevent it, since the server itself gives up the lock",
                                     harness::row_of(shown.algorithm->service).name);
  }
  report.sources = sources_text(shown);
  return report;
}

}  // namespace lockproof::execution
