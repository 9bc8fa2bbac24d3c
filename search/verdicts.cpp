// SPDX-License-Identifier: Apache-2.0
#include "search/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/check/verdict_text.hpp"
#include "harness/program/virtual_program.hpp"
#include "harness/report/text/fault_text.hpp"
#include "harness/report/text/plural.hpp"
#include "harness/scenario/faults/unpreventable.hpp"
#include "harness/scenario/file/write.hpp"
#include "harness/scenario/services.hpp"
#include "harness/stop.hpp"
#include "search/core/contention.hpp"
#include "search/results/vacuity.hpp"

namespace lockproof::search {
namespace {

using check::Finding;
using check::Verdict;
using harness::plural;
using harness::with_faults;

/// The kinds in which the property broke, the worst one first: double-grant says more than outlived.
std::vector<std::pair<std::string, const sim::ShortestViolation*>> violations_of(const Answer& answer,
                                                                                 std::string_view property) {
  std::vector<std::pair<std::string, const sim::ShortestViolation*>> all;
  for (const auto& [way, broken] : answer.found.broken) {
    if (way.first == property) all.emplace_back(way.second, &broken);
  }
  return all;
}

bool fewer_may_do(const sim::Exploration& found, const sim::ShortestViolation& way) {
  if (way.drawn) return way.faults > 0;
  return found.only_written ? way.faults > 0 : found.reached && way.faults > found.reached->faults;
}

/// Each of them: "double-grant with 1 fault (…), 9 events; …".
std::string violations_text(const Answer& answer, std::string_view property,
                            const std::vector<std::pair<std::string, const sim::ShortestViolation*>>& violations) {
  std::string text;
  for (const auto& [kind, way] : violations) {
    const auto& shown = answer.counterexamples.at({std::string(property), kind});
    text += fmt::format("{}{}{}, {}", text.empty() ? "" : "; ", kind.empty() ? "" : kind + " ",
                        with_faults(shown.scenario.faults), plural(static_cast<std::uint64_t>(way->depth), "event"));
    if (fewer_may_do(answer.found, *way)) text += "; fewer faults may do";
  }
  return text;
}

/// Those that a lock can prevent, or those that none can; with the fewest faults first.
std::vector<std::pair<std::string, const sim::ShortestViolation*>> violations_of(const Answer& answer,
                                                                                 std::string_view property,
                                                                                 bool unpreventable) {
  auto all = violations_of(answer, property);
  std::erase_if(all, [&](const auto& way) {
    return is_unpreventable(answer, {std::string(property), way.first}) != unpreventable;
  });
  std::ranges::stable_sort(all, {}, [](const auto& way) { return way.second->faults; });
  return all;
}

std::string none_prevents(const harness::Scenario& scenario) {
  return fmt::format("no lock on {} can prevent", harness::row_of(scenario.algorithm->service).name);
}

Finding violated(const Answer& answer, std::string_view property) {
  const auto broken = violations_of(answer, property);
  Finding finding{std::string(property), Verdict::violated, broken.front().first, "", {}};
  for (const auto& [kind, way] : broken) {
    if (answer.counterexamples.contains({finding.property, kind})) continue;
    if (answer.scenario.program && !answer.found.complete) {
      return {finding.property,
              Verdict::unknown,
              "",
              "the search found a violation, and was stopped before its schedule could be run again: with a higher "
              "limit it is shown",
              {}};
    }
    return {finding.property,
            Verdict::unknown,
            "",
            "the search found a violation that the simulator does not show when it runs the same schedule: an error "
            "of lockproof",
            {}};
  }
  finding.what = violations_text(answer, property, violations_of(answer, property, false));
  if (const auto apart = violations_of(answer, property, true); !apart.empty()) {
    finding.what += fmt::format("{}{} (which {})", finding.what.empty() ? "" : "; ",
                                violations_text(answer, property, apart), none_prevents(answer.scenario));
  }
  return finding;
}

std::string probes_unknown(const Answer& answer) {
  const std::string& why = answer.found.probes_stopped;
  return "whether a probe client gets the lock could not be decided" + (why.empty() ? "" : ", since " + why);
}

Finding vacuous(const Answer& answer) {
  const std::string why = sim::why_vacuous(answer.scenario, answer.bounds, answer.found);
  if (!why.empty()) return {"", Verdict::violated, "", why, {}};
  const bool is_told = !violations_of(answer, "deadlock-freedom").empty();
  const sim::LockedOutRounds lost = is_told ? sim::LockedOutRounds{} : sim::shut_out(answer.scenario, answer.found);
  if (!lost.everybody) return {"", Verdict::holds, "", lost.what, {}};
  return {"", Verdict::violated, "shut-out", lost.what, {}};
}

/// What no schedule has put to the test does not hold.
void take_back(const Answer& answer, std::vector<Finding>& findings) {
  const auto vacuous = std::ranges::find(findings, "exercised", &Finding::property);
  const bool all = vacuous->verdict == Verdict::violated && vacuous->kind.empty();
  for (Finding& finding : findings) {
    if (finding.verdict != Verdict::holds || finding.property == "exercised") continue;
    const std::string why =
        sim::why_vacuous(answer.scenario, answer.bounds, sim::tested(answer.found, finding.property));
    if (!all && why.empty()) continue;
    finding.verdict = Verdict::unknown;
    finding.what = all ? nothing_shown : "where clients ask as the scenario says, " + why;
  }
}

/// By schedules that were all searched, whatever became of the others.
bool is_judged_apart(const sim::Exploration& found, std::string_view property) {
  return found.timed && found.timed->judged.contains(std::string(property));
}

bool is_claimed(std::string_view property, const harness::Scenario& scenario) {
  return std::ranges::any_of(check::properties_of(scenario), [&](const check::Property& p) {
    return p.name == property && check::is_claimed(p, scenario);
  });
}

}  // namespace

std::optional<sim::Counterexample> enact(const Answer& answer, const Question& question, const sim::ViolationKind& way,
                                         const sim::ShortestViolation& broken, const std::stop_token& stop) {
  const auto& [property, kind] = way;
  std::optional<sim::Counterexample> shown;
  try {
    shown = answer.counterexample(way, broken, question.scenario.horizon, stop);
    if (!shown || shown->hidden) return shown;
    sim::round_asks(*shown, property, kind, stop);
  } catch (const harness::NotAFunction&) {
    return std::nullopt;
  } catch (const harness::Cancellation&) {  // its program has no time to do it again
    return std::nullopt;
  }
  const std::string& title = question.scenario.title;
  shown->scenario.title =
      fmt::format("{}: {}{}", property, kind.empty() ? "violated" : kind, title.empty() ? "" : ". " + title);
  return shown;
}

void enact_all(Answer& answer, const Question& question, const std::stop_token& stop) {
  const std::map<sim::ViolationKind, sim::ShortestViolation> all = answer.found.broken;
  for (const auto& [way, broken] : all) {
    if (!is_claimed(way.first, answer.scenario)) {
      answer.found.broken.erase(way);
      continue;
    }
    auto shown = enact(answer, question, way, broken, stop);
    if (!shown) continue;
    if (shown->hidden) {
      answer.found.broken.erase(way);
    } else {
      answer.counterexamples.emplace(way, std::move(*shown));
    }
  }
}

bool is_unpreventable(const Answer& answer, const sim::ViolationKind& way) {
  const auto shown = answer.counterexamples.find(way);
  return shown != answer.counterexamples.end() &&
         harness::is_unpreventable(answer.scenario, way.first, shown->second.scenario.faults);
}

std::vector<Finding> findings_of(const Answer& answer) {
  std::vector<Finding> findings;
  for (const check::Property& property : check::properties_of(answer.scenario)) {
    Finding finding;
    if (!check::is_claimed(property, answer.scenario)) {
      finding = check::not_claimed();
    } else if (!check::has_key(property, answer.scenario)) {
      finding = check::without_key(answer.scenario);
    } else if (!check::fits_holders(property, answer.scenario)) {
      finding = check::without_evidence(check::several_holders);
    } else if (!violations_of(answer, property.name).empty()) {
      finding = violated(answer, property.name);
    } else if (!property.watch && property.name != "exercised") {
      finding = check::without_evidence(check::runs_only);
    } else if (!check::states_bound(property, answer.scenario) && property.name != "deadlock-freedom") {
      finding = check::not_judged(property);
    } else if (!answer.found.complete && !is_judged_apart(answer.found, property.name)) {
      finding = {"", Verdict::unknown, "", answer.found.stopped, {}};
    } else if (const auto why = answer.found.undecided.find(std::string(property.name));
               why != answer.found.undecided.end()) {
      finding = {"", Verdict::unknown, "", why->second, {}};
    } else if (property.name == "exercised") {
      finding = vacuous(answer);
    } else if (answer.found.every_timing && !answer.found.judged.contains(std::string(property.name))) {
      finding = {"", Verdict::unknown, "", "zones do not judge this bound in time yet", {}};
    } else if (property.name == "deadlock-freedom" && !answer.scenario.progress) {
      // Without a bound it is judged by what becomes of a probe client.
      finding.verdict = answer.found.judged.contains("deadlock-freedom") ? Verdict::holds : Verdict::unknown;
      if (finding.verdict == Verdict::unknown) finding.what = probes_unknown(answer);
    } else if (property.name == "fencing-order" && !answer.found.rounds.fenced) {
      finding = check::without_evidence(check::no_token);
    } else if (!answer.found.judged.contains(std::string(property.name))) {
      finding = {"", Verdict::unknown, "", "a search does not judge this property yet", {}};
    } else if (property.name == "re-entrancy" && !check::re_enters(answer.scenario)) {
      finding = check::nobody_re_enters();
    } else {
      finding.verdict = Verdict::holds;
    }
    finding.property = property.name;
    findings.push_back(std::move(finding));
  }
  take_back(answer, findings);
  return findings;
}

const std::pair<const sim::ViolationKind, sim::Counterexample>* first_counterexample(const Answer& answer) {
  const std::pair<const sim::ViolationKind, sim::Counterexample>* first = nullptr;
  std::pair<bool, int> first_rank;
  for (const check::Property& property : check::properties_of(answer.scenario)) {
    for (const auto& shown : answer.counterexamples) {
      if (shown.first.first != property.name) continue;
      const std::pair rank{is_unpreventable(answer, shown.first), answer.found.broken.at(shown.first).faults};
      if (first && first_rank <= rank) continue;
      first = &shown;
      first_rank = rank;
    }
  }
  return first;
}

std::string unpreventable_text(const Answer& answer) {
  std::string text;
  for (const check::Property& property : check::properties_of(answer.scenario)) {
    const auto apart = violations_of(answer, property.name, true);
    if (apart.empty()) continue;
    text += fmt::format("  {}: {}\n", property.name, violations_text(answer, property.name, apart));
  }
  if (text.empty()) return "";
  return fmt::format("what {}, since the server itself gives up the lock:\n", none_prevents(answer.scenario)) + text;
}

void leave_out_unpreventable(const Answer& answer, Finding& finding) {
  if (finding.verdict != Verdict::violated || violations_of(answer, finding.property, true).empty()) return;
  const auto others = violations_of(answer, finding.property, false);
  finding.what = violations_text(answer, finding.property, others);
  if (!others.empty()) finding.kind = others.front().first;
  if (others.empty()) finding.what = fmt::format("only by what {}: see below", none_prevents(answer.scenario));
}

}  // namespace lockproof::search
