// SPDX-License-Identifier: Apache-2.0
#include "execution/compare/not_in.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "execution/compare/side_search.hpp"
#include "execution/explore/scope_text.hpp"
#include "execution/team.hpp"
#include "harness/check/properties.hpp"
#include "harness/scenario/file/write.hpp"
#include "search/verdicts.hpp"

namespace lockproof::execution {
namespace {

using harness::NotInCause;
using harness::NotInReport;
using Fate = NotInCause::Fate;

/// A host of A's that B does not have; empty: it has all that the faults name.
std::string unknown_host(const std::vector<harness::Fault>& faults, const harness::Scenario& b) {
  const std::vector<std::string> hosts = b.host_names(true, true);
  for (const harness::Fault& fault : faults) {
    std::vector<std::string> named{fault.target, fault.peer, fault.session};
    named.insert(named.end(), fault.to_clients.begin(), fault.to_clients.end());
    for (const std::string& name : named) {
      const bool is_known = name.empty() || name == harness::all_hosts || std::ranges::find(hosts, name) != hosts.end();
      if (!is_known) return name;
    }
  }
  return "";
}

/// B with these faults, placed as they are, and no others.
search::Question placed_in(const ComparedSide& b, const std::vector<harness::Fault>& faults) {
  search::Question question;
  question.scenario = b.scenario;
  question.scenario.faults = faults;
  question.bounds = b.bounds;
  question.bounds.budget.clear();
  question.bounds.max_faults = 0;
  question.written_first = false;
  return question;
}

/// B's run with the faults, for a person to look at; without an expectation, as it was not searched by this run.
std::string scenario_of(const ComparedSide& b, const Cause& cause, const std::string& folder) {
  harness::Scenario scenario = b.scenario;
  scenario.faults = cause.witness.faults;
  scenario.explore.reset();
  scenario.expect = {};
  return harness::to_toml(scenario, folder);
}

}  // namespace

void decide_fate(const ComparedSide& b, const Cause& cause, const search::Limits& limits, NotInCause& into) {
  const std::vector<harness::Fault>& faults = cause.witness.faults;
  if (const std::string host = unknown_host(faults, b.scenario); !host.empty()) {
    into.fate = Fate::not_comparable;
    into.why = fmt::format("B has no {}", host);
    return;
  }
  const search::Question question = placed_in(b, faults);
  const search::Answer answer = search::answer(question, limits);
  const auto& [property, kind] = cause.violation;
  const bool breaks = std::ranges::any_of(answer.found.broken, [&](const auto& found) {
    return found.first.first == property && found.first.second <= kind;
  });
  const std::vector<check::Finding> findings = search::findings_of(answer);
  const auto finding = std::ranges::find(findings, property, &check::Finding::property);
  const auto has_struck = [&](const harness::Fault& fault) {
    return answer.found.struck.contains(static_cast<int>(&fault - faults.data()) + 1);
  };
  const auto never = std::ranges::find_if_not(faults, has_struck);
  if (breaks) {
    into.fate = Fate::in_b;
  } else if (!answer.found.complete) {
    into.why = answer.found.stopped;
  } else if (never != faults.end()) {
    into.fate = Fate::not_comparable;
    into.why = fmt::format("in no schedule of B does the {} strike", harness::fault_text(*never));
  } else if (finding->verdict == check::Verdict::unknown || !finding->judged) {
    into.why = finding->what.empty() ? "B is not judged by it" : finding->what;
  } else {
    into.fate = Fate::not_in_b;
  }
}

NotInReport find_not_in(const QuestionPair& question, const NotInOrder& order) {
  NotInReport report;
  report.a = question.a.called;
  report.b = question.b.called;
  report.bounds_of = question.bounds_of;
  report.scope = scope_text(sim::bounded(question.a.scenario, question.a.bounds, question.a.alone), question.a.bounds);
  const std::vector<NamedPart> parts = parts_of(question.a);
  std::vector<SideAnswer> said(parts.size());
  std::vector<SideTask> tasks;
  for (std::size_t i = 0; i < parts.size(); ++i) tasks.push_back({question.a, parts[i].bounds, said[i]});
  search_sides(tasks, order.limits, order.workers, order.tell);
  std::vector<SideCause> causes;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!said[i].open.empty()) report.open.push_back(parts[i].text);
    for (SideCause& cause : said[i].causes) {
      if (!cause.cause.witness.algorithm) continue;  // nobody gets the lock: no schedule shows that alone
      const bool is_known = std::ranges::any_of(causes, [&](const SideCause& known) {
        return known.cause.violation == cause.cause.violation && known.cause.with == cause.cause.with;
      });
      if (!is_known) causes.push_back(std::move(cause));
    }
  }
  std::ranges::stable_sort(causes, {}, [](const SideCause& one) {
    return std::tuple(one.cause.unpreventable, one.faults.size(), one.cause.events);
  });
  report.causes.resize(causes.size());
  const bool runs_programs = question.a.scenario.program || question.b.scenario.program;
  search::Limits limits = order.limits;
  limits.workers = runs_programs ? order.workers : 1;
  share_among(
      runs_programs ? 1 : order.workers, causes.size(),
      [&](std::size_t i) {
        const Cause& cause = causes[i].cause;
        NotInCause& into = report.causes[i];
        into.property = cause.violation.first;
        into.kind = cause.violation.second;
        into.with = cause.with;
        into.events = cause.events;
        decide_fate(question.b, cause, limits, into);
      },
      [&](std::size_t done) {
        if (order.tell) order.tell(done, causes.size());
      });
  const auto first = std::ranges::find(report.causes, Fate::not_in_b, &NotInCause::fate);
  if (first == report.causes.end()) return report;
  Cause& first_cause = causes[static_cast<std::size_t>(first - report.causes.begin())].cause;
  first->scenario_of_b = scenario_of(question.b, first_cause, order.folder);
  make_readable(first_cause, order.limits.stop_telling);
  first->scenario_of_a = harness::to_toml(first_cause.witness, order.folder);
  first->history = sim::as_counterexample(first_cause.witness, first_cause.violation).value().history;
  return report;
}

}  // namespace lockproof::execution
