// SPDX-License-Identifier: Apache-2.0
#include "execution/compare/side_search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "execution/team.hpp"
#include "harness/check/properties.hpp"
#include "harness/report/text/entry_text.hpp"
#include "harness/report/text/fault_text.hpp"
#include "harness/scenario/faults/unpreventable.hpp"
#include "harness/scenario/names.hpp"
#include "harness/stop.hpp"
#include "search/results/parts.hpp"
#include "search/verdicts.hpp"

namespace lockproof::execution {
namespace {

/// What the text has between the kind and the hosts of the label.
std::string amount_of(std::string_view kind, const std::string& label, std::string_view text) {
  const std::string_view hosts = std::string_view(label).substr(kind.size());
  if (!text.ends_with(hosts)) return "";
  text.remove_suffix(hosts.size());
  text.remove_prefix(kind.size());
  return text.starts_with(' ') ? std::string(text.substr(1)) : "";
}

std::string text_of(const harness::Scenario& searched, const harness::Bounds& bounds) {
  std::vector<std::string> texts;
  if (bounds.max_faults > 0) {
    for (const harness::BudgetedFault& entry : bounds.budget) texts.push_back(harness::entry_text(searched, entry));
  }
  return texts.empty() ? "no fault" : fmt::to_string(fmt::join(texts, " + "));
}

StruckFault struck(const harness::Scenario& searched, const harness::BudgetedFault& part) {
  const std::string label = harness::entry_label(searched, part), text = harness::entry_text(searched, part);
  return {label, text, amount_of(harness::name(part.kind), label, text), part.spot, part.elsewhere, ""};
}

std::vector<StruckFault> faults_of(const harness::Scenario& searched, const harness::Bounds& bounds,
                                   const Cause& cause) {
  std::vector<StruckFault> faults;
  for (const std::size_t entry : cause.entries) faults.push_back(struck(searched, bounds.budget[entry]));
  if (faults.size() != 1) return faults;
  for (const harness::Fault& fault : cause.witness.faults) {
    if (fault.kind == bounds.budget[cause.entries.front()].kind && fault.when) faults.front().verb = fault.when->verb;
  }
  return faults;
}

/// A round that nobody gets the lock in is found without a schedule of its own.
void add_shut_out(const check::Finding& finding, SideAnswer& into) {
  SideCause lost;
  lost.cause.violation = {finding.property, finding.kind};
  lost.cause.with = finding.what;
  into.causes.push_back(std::move(lost));
}

void judge(const search::Answer& answer, const harness::Bounds& bounds, const search::Limits& limits,
           SideAnswer& into) {
  const std::string why = limits.stop.stop_requested()       ? "it was stopped"
                          : answer.end == search::End::limit ? fmt::format("more than {} states", limits.work)
                                                             : answer.found.stopped;
  std::vector<harness::Fault> forms;
  for (const harness::BudgetedFault& entry : bounds.budget) forms.push_back(entry.forms.front());
  for (const check::Finding& finding : search::findings_of(answer)) {
    const bool is_violated = std::ranges::any_of(
        into.causes, [&](const SideCause& one) { return one.cause.violation.first == finding.property; });
    if (finding.property == "exercised") {
      if (finding.verdict == check::Verdict::violated && !finding.kind.empty()) add_shut_out(finding, into);
      continue;
    }
    const bool decided = answer.found.complete && (is_violated || finding.verdict == check::Verdict::holds);
    if (!finding.judged && !is_violated) into.unjudged[finding.property] = finding.what;
    if (decided || (!finding.judged && !is_violated)) continue;
    into.open[finding.property] = answer.found.complete ? finding.what : why;
    into.unpreventable[finding.property] = harness::is_unpreventable(answer.scenario, finding.property, forms);
  }
}

/// `there` is a place of a search that told these parts apart.
bool has_place(const std::vector<StruckFault>& parts, const StruckFault& of, const harness::Spot& there) {
  return std::ranges::any_of(
      parts, [&](const StruckFault& part) { return part.text == of.text && part.spot && *part.spot == there; });
}

bool strikes_alike(const StruckFault& one, const StruckFault& known, const std::vector<StruckFault>& parts) {
  if (one.text != known.text) return false;
  if (one.spot && known.spot) {
    if (*one.spot == *known.spot) return true;
    return one.spot->stage == known.spot->stage && !has_place(parts, one, *one.spot);
  }
  if (one.spot) return known.elsewhere.empty() || known.verb == one.spot->verb;
  if (known.spot) return one.elsewhere.empty() || known.spot->verb == one.verb;
  return true;
}

/// Each of `few` is another one of `many`.
bool are_among(const std::vector<StruckFault>& few, const std::vector<StruckFault>& many,
               const std::vector<StruckFault>& parts) {
  std::vector<bool> used(many.size());
  return std::ranges::all_of(few, [&](const StruckFault& known) {
    for (std::size_t i = 0; i < many.size(); ++i) {
      if (used[i] || !strikes_alike(many[i], known, parts)) continue;
      used[i] = true;
      return true;
    }
    return false;
  });
}

}  // namespace

std::vector<NamedPart> parts_of(const ComparedSide& side) {
  const harness::Scenario searched = sim::bounded(side.scenario, side.bounds, side.alone);
  std::vector<NamedPart> parts;
  const auto add = [&](const harness::Bounds& bounds) {
    const std::string text = text_of(searched, bounds);
    const auto known = std::ranges::find(parts, text, &NamedPart::text);
    if (known == parts.end()) return void(parts.push_back({text, bounds}));
    for (std::size_t i = 0; i < bounds.budget.size(); ++i) {
      std::vector<harness::Fault>& forms = known->bounds.budget[i].forms;
      forms.insert(forms.end(), bounds.budget[i].forms.begin(), bounds.budget[i].forms.end());
    }
  };
  for (const sim::Part& part : sim::parts_of(searched, side.bounds)) add(part.bounds);
  if (parts.empty()) add(side.bounds);
  return parts;
}

SideAnswer search_side(const ComparedSide& side, const harness::Bounds& bounds, const search::Limits& limits) {
  search::Question question;
  question.scenario = side.scenario;
  question.bounds = bounds;
  question.alone = side.alone;
  question.goal = search::Goal::causes;
  question.written_first = question.in_parts = false;
  search::Answer answer = search::answer(question, limits);
  SideAnswer said;
  said.states = answer.found.states;
  for (const harness::BudgetedFault& part : answer.parted.bounds.budget)
    said.parts.push_back(struck(answer.scenario, part));
  said.never =
      answer.found.complete && bounds.max_faults > 0 && !bounds.budget.empty() && answer.found.of_budget.empty();
  const auto show = [&](const sim::ViolationKind& kind, const sim::ShortestViolation& violation) {
    std::optional<sim::Counterexample> witness;
    try {
      witness = sim::counterexample(answer.scenario, answer.parted.bounds, kind.first, kind.second, violation,
                                    question.scenario.horizon, limits.stop_telling, true);
    } catch (const harness::NotAFunction&) {
    } catch (const harness::Cancellation&) {
    }
    return witness && witness->hidden ? std::nullopt : std::move(witness);
  };
  for (Cause& cause : causes_of(answer.scenario, answer.parted, answer.found, show)) {
    std::vector<StruckFault> faults = faults_of(answer.scenario, answer.parted.bounds, cause);
    said.causes.push_back({std::move(cause), std::move(faults)});
  }
  answer.bounds.max_faults = 0;  // a fault that cannot strike as this side does its work leaves nothing untested of it
  judge(answer, bounds, limits, said);
  return said;
}

void search_sides(const std::vector<SideTask>& tasks, search::Limits limits, unsigned workers,
                  const std::function<void(std::uint64_t done, std::uint64_t all)>& tell) {
  const bool runs_programs =
      std::ranges::any_of(tasks, [](const SideTask& task) { return task.side.scenario.program.has_value(); });
  const unsigned at_once = runs_programs ? 1 : workers;  // a program's search has processes of its own
  limits.workers = runs_programs ? workers : 1;
  const auto search = [&](const std::vector<const SideTask*>& some, const search::Limits& within) {
    share_among(
        at_once, some.size(),
        [&](std::size_t i) {
          const bool again = some[i]->said.states > 0;
          if (again && limits.stop.stop_requested()) return;  // what is known of it is more
          some[i]->said = search_side(some[i]->side, some[i]->bounds, within);
        },
        [&](std::size_t done) {
          if (tell) tell(done, some.size());
        });
  };
  std::vector<const SideTask*> all, open;
  for (const SideTask& task : tasks) all.push_back(&task);
  search::Limits few = limits;
  few.work = std::min(few.work, search::few_states);
  search(all, few);
  for (const SideTask& task : tasks) {
    if (!task.said.open.empty()) open.push_back(&task);
  }
  if (few.work < limits.work) search(open, limits);
}

const SideCause* same_cause(const SideCause& cause, const std::vector<SideCause>& known,
                            const std::vector<StruckFault>& parts) {
  const SideCause* best = nullptr;
  for (const SideCause& one : known) {
    const bool as_bad = one.cause.violation.first == cause.cause.violation.first &&
                        one.cause.violation.second <= cause.cause.violation.second;
    if (!as_bad || !are_among(one.faults, cause.faults, parts)) continue;
    const bool is_exact = std::ranges::equal(
        one.faults, cause.faults, [](const auto& x, const auto& y) { return x.text == y.text && x.spot == y.spot; });
    if (is_exact) return &one;
    if (!best) best = &one;
  }
  return best;
}

void make_readable(Cause& cause, const std::stop_token& stop) {
  auto run = sim::as_counterexample(cause.witness, cause.violation);
  if (!run) return;
  sim::drop_steps(*run, cause.violation.first, cause.violation.second, stop);
  sim::round_asks(*run, cause.violation.first, cause.violation.second, stop);
  const auto& [property, kind] = cause.violation;
  run->scenario.title = fmt::format("{}: {}{}", property, kind.empty() ? "violated" : kind,
                                    cause.witness.title.empty() ? "" : ". " + cause.witness.title);
  cause.witness = std::move(run->scenario);
  cause.with = harness::with_faults(cause.witness.faults);
}

}  // namespace lockproof::execution
