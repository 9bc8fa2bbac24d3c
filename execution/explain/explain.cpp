// SPDX-License-Identifier: Apache-2.0
#include "execution/explain/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "harness/check/properties.hpp"
#include "harness/report/text/fault_text.hpp"
#include "harness/report/text/told_fault.hpp"
#include "sim/explore/minimize/minimize.hpp"
#include "sim/explore/reexecution/reexecution_engine.hpp"
#include "sim/explore/results/counterexample.hpp"
#include "sim/explore/state_space/stateful_engine.hpp"
#include "sim/run.hpp"

namespace lockproof::execution {
namespace {

using check::Finding;
using harness::ExplainedRemedy;
using harness::ExplainedReport;
using harness::Scenario;
using sim::Answer;

std::optional<Finding> worst(const harness::History& history, const Scenario& scenario, const std::string& property) {
  const std::vector<Finding> findings = check::judge(history, scenario);
  const Finding* const found = harness::worst_of(findings, property);
  return found ? std::optional(*found) : std::nullopt;
}

/// A schedule of its [explore], or of its own faults, that breaks something.
std::optional<Scenario> found_by_search(const Scenario& scenario, const std::string& property,
                                        const ExplainLimits& given) {
  const harness::Bounds bounds = scenario.explore.value_or(harness::Bounds{});
  const Scenario explored = sim::bounded(scenario, bounds, false);
  sim::Limits limits;
  limits.workers = given.trial.workers;
  limits.stop = limits.stop_telling = given.trial.stop;
  limits.exchange = limits.written_first = true;
  limits.estimate = false;
  const auto asked = [&](const std::string& name) { return property.empty() || property == name; };
  limits.enough = [&](const std::set<sim::ViolationKind>& found) {
    return std::ranges::any_of(found, [&](const sim::ViolationKind& way) { return asked(way.first); });
  };
  limits.go_on = [&](const sim::Progress& progress) { return progress.states < given.trial.states; };
  const bool stateful = sim::stateful_engine_refuses(explored, bounds).empty();
  sim::Exploration found;
  try {
    found = (stateful ? sim::explore_stateful : sim::explore_by_reexecution)(explored, bounds, limits);
  } catch (const std::runtime_error&) {  // a search that cannot go on has found nothing
    return std::nullopt;
  }
  for (const check::Property& one : check::properties_of(scenario)) {
    for (const auto& [way, broken] : found.broken) {
      if (way.first != one.name || !asked(way.first)) continue;
      auto shown = sim::counterexample(explored, bounds, way.first, way.second, broken, scenario.horizon);
      if (shown && !shown->hidden) return std::move(shown->scenario);
    }
  }
  return std::nullopt;
}

/// Changes that may prevent a violation, each of which makes another scenario.
struct Candidate {
  std::string what;
  Scenario scenario;
  bool anywhere = false;  // its commands are others, so its faults may strike wherever they can
};

std::vector<Candidate> without_a_fault(const Scenario& scenario) {
  std::vector<Candidate> all;
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    Candidate one{"without the " + harness::fault_text_without_place(scenario.faults[i]), scenario};
    one.scenario.faults.erase(one.scenario.faults.begin() + static_cast<std::ptrdiff_t>(i));
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<Candidate> with_a_change(const Scenario& scenario) {
  std::vector<Candidate> all;
  const auto add = [&](std::string what, bool anywhere, const auto& change) {
    Candidate one{std::move(what), scenario, anywhere};
    change(one.scenario);
    if (!(one.scenario == scenario)) all.push_back(std::move(one));
  };
  const auto for_clients = [](const auto& change) {
    return [change](Scenario& s) {
      for (harness::ClientSpec& client : s.clients) change(client.plan);
    };
  };
  if (const auto lease = scenario.clients.front().plan.lease) {
    add(fmt::format("with a lease of {}", harness::in_seconds(*lease * 4)), false,
        for_clients([&](harness::Plan& plan) { plan.lease = *lease * 4; }));
  }
  add("if clients stop at their deadline", false,
      for_clients([](harness::Plan& plan) { plan.stop_on = harness::StopOn::deadline; }));
  if (scenario.period) {
    add("if the resource remembers which period was done", false, [](Scenario& s) {
      s.marker = harness::Marker::period;
      for (harness::ClientSpec& client : s.clients) client.plan.claims = true;
    });
  }
  const bool loses = std::ranges::any_of(scenario.faults, [](const harness::Fault& fault) {
    return fault.kind == harness::FaultKind::restart || fault.kind == harness::FaultKind::power_cut;
  });
  if (loses) {
    add("if the servers keep each command on disk", false, [](Scenario& s) {
      for (harness::ServerSpec& server : s.servers) server.persistence = harness::Persistence::aof_always;
    });
  }
  if (scenario.algorithm->service != Service::redis || scenario.algorithm->servers == Servers::all) return all;
  for (const char* const name : {"set-px-token", "fenced-token"}) {
    const Algorithm* const other = find_algorithm(name);
    if (!other || scenario.algorithm->name == name) continue;
    const bool fenced = std::string_view(name) == "fenced-token";
    add(fmt::format("with {}{}", name, fenced ? " and a resource that checks its tokens" : ""), true, [&](Scenario& s) {
      s.algorithm = other;
      s.parameters.clear();
      for (const Parameter& parameter : other->parameters) s.parameters.emplace(parameter.name, parameter.standard);
      if (fenced) s.fencing = harness::Fencing::all;
    });
  }
  return all;
}

ExplainedRemedy searched(const Candidate& candidate, sim::Trials& trials) {
  try {
    const sim::Trial trial = candidate.anywhere ? trials.anywhere(candidate.scenario, candidate.scenario.faults.size())
                                                : trials.fixed(candidate.scenario);
    return {candidate.what, trial.answer == Answer::holds,
            trial.answer == Answer::undecided || trial.answer == Answer::vacuous, trial.states};
  } catch (const std::runtime_error&) {  // a search that cannot go on decides nothing
    return {candidate.what, false, true, 0};
  }
}

std::string prevention_text(const std::vector<ExplainedRemedy>& remedies) {
  std::vector<std::string> mends, in_vain;
  for (const ExplainedRemedy& one : remedies) {
    if (one.unknown) continue;
    (one.mends ? mends : in_vain).push_back(one.what);
  }
  std::string text;
  if (!mends.empty()) {
    text =
        fmt::format("It would not have happened {} (every schedule of each was searched)", fmt::join(mends, ", nor "));
  }
  if (!in_vain.empty()) {
    text += fmt::format("{}{} happen {}", text.empty() ? "" : "; ", text.empty() ? "It can still" : "it can still",
                        fmt::join(in_vain, ", or "));
  }
  return text.empty() ? "What would have prevented it is not known: the searches were too large" : text;
}

std::string decisive_text(const Decisive& decisive) {
  if (!decisive.known) return "After which event it could no longer be averted is not known";
  const std::string when = harness::in_seconds(decisive.at);
  if (decisive.from_the_start)
    return "It could not be averted from the start: no order of events without a further fault avoids it";
  return fmt::format(
      "It could no longer be averted after {}, when {}: before that some continuation without a further "
      "fault is safe, and after it none {}",
      when, decisive.event, decisive.all_tried ? "is" : fmt::format("of the {} that were tried", decisive.tried));
}

std::string sources_text(const Scenario& scenario) {
  if (scenario.program) return fmt::format("The lock is a program of its own, {}", scenario.algorithm->name);
  if (scenario.source.empty()) return fmt::format("The lock is from: {}", scenario.algorithm->source);
  return fmt::format("Published in: {}; the lock is from: {}", scenario.source, scenario.algorithm->source);
}

}  // namespace

std::optional<Violation> violation_of(const Scenario& scenario, const std::string& property,
                                      const harness::History* real, const ExplainLimits& limits) {
  Scenario shown = scenario;
  harness::History history = real ? *real : sim::run(shown, shown.seed);
  std::optional<Finding> finding = worst(history, shown, property);
  if (!finding && !real) {
    if (auto found = found_by_search(scenario, property, limits)) {
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
                                       const harness::History* real, const ExplainLimits& limits) {
  const auto violation = violation_of(scenario, property, real, limits);
  if (!violation) return std::nullopt;
  const auto& [shown, history, finding] = *violation;
  const sim::ViolationKind way{finding.property, finding.kind};
  ExplainedReport report;
  report.file = scenario.file;
  report.title = scenario.title;
  report.property = way.first;
  report.kind = way.second;
  report.belief = harness::believed(history, finding);
  sim::Trials trials(way, limits.trial);
  std::vector<harness::Fault> needed;
  for (const Candidate& one : without_a_fault(shown)) {
    report.remedies.push_back(searched(one, trials));
    if (report.remedies.back().mends) needed.push_back(shown.faults[report.remedies.size() - 1]);
  }
  for (const Candidate& one : with_a_change(shown)) report.remedies.push_back(searched(one, trials));
  report.assumption = harness::assumed(history, needed.empty() ? shown.faults : needed);
  report.decisive = decisive_text(decisive_event(shown, shown.seed, way));
  report.prevention = prevention_text(report.remedies);
  report.sources = sources_text(shown);
  return report;
}

}  // namespace lockproof::execution
