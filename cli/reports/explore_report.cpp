// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/explore_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/reports/scope_text.hpp"
#include "harness/check/verdict_text.hpp"
#include "harness/report/explored.hpp"
#include "harness/report/text/assumptions.hpp"
#include "harness/report/text/executed.hpp"
#include "harness/report/text/fault_text.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/faults/unpreventable.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"
#include "search/core/contention.hpp"
#include "search/results/vacuity.hpp"

namespace lockproof::cli {
namespace {

using check::Finding;
using check::Verdict;
using harness::fault_text;

bool is_unpreventable(const ExploreReport& report, const sim::ViolationKind& way) {
  const auto shown = report.counterexamples.find(way);
  return shown != report.counterexamples.end() &&
         harness::is_unpreventable(report.scenario, way.first, shown->second.scenario.faults);
}

/// Every way in which the property broke, the worst one first: double-grant says more than outlived.
std::vector<std::pair<std::string, const sim::Broken*>> ways(const ExploreReport& report, std::string_view property) {
  std::vector<std::pair<std::string, const sim::Broken*>> all;
  for (const auto& [way, broken] : report.found.broken) {
    if (way.first == property) all.emplace_back(way.second, &broken);
  }
  return all;
}

bool fewer_may_do(const sim::Exploration& found, const sim::Broken& way) {
  return found.only_written ? way.faults > 0 : found.reached && way.faults > found.reached->faults;
}

/// Each of these ways: "double-grant with 1 fault (…), 9 events; …".
std::string ways_text(const ExploreReport& report, std::string_view property,
                      const std::vector<std::pair<std::string, const sim::Broken*>>& ways) {
  std::string text;
  for (const auto& [kind, way] : ways) {
    const auto& shown = report.counterexamples.at({std::string(property), kind});
    text += fmt::format("{}{}{}, {}", text.empty() ? "" : "; ", kind.empty() ? "" : kind + " ",
                        with_faults(shown.scenario.faults), plural(static_cast<std::uint64_t>(way->depth), "event"));
    if (fewer_may_do(report.found, *way)) text += "; fewer faults may do";
  }
  return text;
}

/// The ways that a lock can prevent, or those that none can; with the fewest faults first.
std::vector<std::pair<std::string, const sim::Broken*>> ways(const ExploreReport& report, std::string_view property,
                                                             bool unpreventable) {
  auto all = ways(report, property);
  std::erase_if(all, [&](const auto& way) {
    return is_unpreventable(report, {std::string(property), way.first}) != unpreventable;
  });
  std::ranges::stable_sort(all, {}, [](const auto& way) { return way.second->faults; });
  return all;
}

std::string none_prevents(const harness::Scenario& scenario) {
  return fmt::format("no lock on {} can prevent", harness::row_of(scenario.algorithm->service).name);
}

Finding violated(const ExploreReport& report, std::string_view property) {
  const auto broken = ways(report, property);
  Finding finding{std::string(property), Verdict::violated, broken.front().first, "", {}};
  for (const auto& [kind, way] : broken) {
    if (report.counterexamples.contains({finding.property, kind})) continue;
    return {finding.property,
            Verdict::unknown,
            "",
            "the search found a violation that the simulator does not show when it runs the same schedule: an error "
            "of lockproof",
            {}};
  }
  finding.what = ways_text(report, property, ways(report, property, false));
  if (const auto apart = ways(report, property, true); !apart.empty()) {
    finding.what += fmt::format("{}{} (which {})", finding.what.empty() ? "" : "; ", ways_text(report, property, apart),
                                none_prevents(report.scenario));
  }
  return finding;
}

std::string probes_unknown(const ExploreReport& report) {
  const std::string& why = report.found.probes_stopped;
  return "whether a probe client gets the lock could not be decided" + (why.empty() ? "" : ", since " + why);
}

Finding vacuous(const ExploreReport& report) {
  const std::string why = sim::why_vacuous(report.scenario, report.budget, report.found);
  if (!why.empty()) return {"", Verdict::violated, "", why, {}};
  const bool is_told = !ways(report, "deadlock-freedom").empty();
  const sim::ShutOut lost = is_told ? sim::ShutOut{} : sim::shut_out(report.scenario, report.found);
  if (!lost.everybody) return {"", Verdict::holds, "", lost.what, {}};
  return {"", Verdict::violated, "shut-out", lost.what, {}};
}

/// What no schedule has put to the test does not hold.
void take_back(const ExploreReport& report, std::vector<Finding>& findings) {
  const auto vacuous = std::ranges::find(findings, "exercised", &Finding::property);
  const bool all = vacuous->verdict == Verdict::violated && vacuous->kind.empty();
  for (Finding& finding : findings) {
    if (finding.verdict != Verdict::holds || finding.property == "exercised") continue;
    const std::string why =
        sim::why_vacuous(report.scenario, report.budget, sim::tested(report.found, finding.property));
    if (!all && why.empty()) continue;
    finding.verdict = Verdict::unknown;
    finding.what = all ? nothing_shown : "where clients ask as the scenario says, " + why;
  }
}

/// Command lines, each with what it is good for.
std::string ways_on(const ExploreReport& r, int faults, const harness::Style& style) {
  constexpr int more = 4;  // times
  std::vector<std::pair<std::string, std::string>> ways;
  const bool saved = r.found.saved;
  const std::string same =
      r.command + r.limits.max_faults + (saved ? " --resume " + harness::shell_word(r.checkpoint) : "");
  const std::string from = saved ? "from where it stopped" : "from the start";
  if (r.stop == Stop::interrupted) ways.emplace_back(same, from);
  if (r.stop == Stop::exhausted) ways.emplace_back(same, "with more memory for the process, " + from);
  if (r.stop == Stop::time) {
    const Duration longer = harness::duration_from(r.limits.time).value() * more;
    ways.emplace_back(fmt::format("{} --time {}", same, harness::to_text(longer)), "for longer, " + from);
  }
  if (r.stop == Stop::memory) {
    const std::string& memory = r.limits.memory;
    ways.emplace_back(fmt::format("{} --memory {}{}", same, std::stoull(memory) * more, memory.back()),
                      "with more memory, " + from);
  }
  if (r.stop == Stop::unrepresentable) {
    std::string other = r.command;
    const std::string_view engine = "--engine stateful";
    if (const auto at = other.find(engine); at != std::string::npos)
      other.replace(at, engine.size(), "--engine reexecution");
    ways.emplace_back(other, "with the engine that has no such limit, from the start");
  }
  if (r.stop == Stop::horizon) return "  a later [run] horizon\n";
  if (r.stop == Stop::difference) return "  lockproof real, which can judge such a program too\n";
  if (faults > 0) {
    ways.emplace_back(fmt::format("{} --max-faults {}", r.command, faults - 1),
                      "what was searched whole: ends with a verdict");
  } else if (r.budget.max_faults > 1) {
    ways.emplace_back(r.command + " --max-faults 1", "one fault in a run: a much smaller space");
  }
  if (r.found.broken.empty() && !r.draws.empty()) {
    ways.emplace_back(r.draws,
                      "draws schedules within the same bounds: shows sooner what they have, and proves nothing");
  }
  std::string text;
  for (const auto& [command, what] : ways) text += fmt::format("{}\n      {}\n", style.command("  ", command), what);
  if (!r.found.not_saved.empty()) text += fmt::format("  {}\n", r.found.not_saved);
  if (r.checkpoint.empty()) text += "  with --checkpoint FILE the next one could go on from where it stopped\n";
  if (r.budget.contention == harness::Contention::as_written && !r.scenario.period && !r.scenario.program) {
    text += "  without contention = \"as-written\": clients poll as the scenario says, and each poll is an event\n";
  }
  return text + "  less in [explore]: rounds, attempts, kinds of faults; a longer retry, a coarser grid\n";
}

/// By schedules that were all searched, whatever became of the others.
bool is_judged_apart(const sim::Exploration& found, std::string_view property) {
  return found.timed && found.timed->judged.contains(std::string(property));
}

}  // namespace

std::vector<Finding> findings_of(const ExploreReport& report) {
  std::vector<Finding> findings;
  for (const check::Property& property : check::properties_of(report.scenario)) {
    Finding finding;
    if (!check::is_claimed(property, report.scenario)) {
      finding = check::not_claimed();
    } else if (!check::has_key(property, report.scenario)) {
      finding = check::without_key(report.scenario);
    } else if (!ways(report, property.name).empty()) {
      finding = violated(report, property.name);
    } else if (!property.watch && property.name != "exercised") {
      finding = check::without_evidence(check::runs_only);
    } else if (!check::states_bound(property, report.scenario) && property.name != "deadlock-freedom") {
      finding = check::not_judged(property);
    } else if (!report.found.complete && !is_judged_apart(report.found, property.name)) {
      finding = {"", Verdict::unknown, "", report.found.stopped, {}};
    } else if (property.name == "exercised") {
      finding = vacuous(report);
    } else if (property.name == "deadlock-freedom" && !report.scenario.progress) {
      // Without a bound it is judged by what becomes of a probe client.
      finding.verdict = report.found.judged.contains("deadlock-freedom") ? Verdict::holds : Verdict::unknown;
      if (finding.verdict == Verdict::unknown) finding.what = probes_unknown(report);
    } else if (property.name == "fencing-order" && !report.found.rounds.fenced) {
      finding = check::without_evidence(check::no_token);
    } else if (!report.found.judged.contains(std::string(property.name))) {
      finding = {"", Verdict::unknown, "", "a search does not judge this property yet", {}};
    } else if (property.name == "re-entrancy" && !check::re_enters(report.scenario)) {
      finding = check::nobody_re_enters();
    } else {
      finding.verdict = Verdict::holds;
    }
    finding.property = property.name;
    findings.push_back(std::move(finding));
  }
  take_back(report, findings);
  return findings;
}

/// What is left out of the verdict, and not only of the search.
std::string ties_text(const ExploreReport& r) {
  if (!r.reduced || r.budget.ties == harness::Ties::all) return "";
  return "  of replies that reach a client at one instant only the order of the servers was searched (ties = "
         "\"together\")\n";
}

std::string evidence_text(const ExploreReport& r, const harness::Style& style) {
  const sim::Exploration& found = r.found;
  std::string text = found.complete ? "searched: every schedule of "
                                    : fmt::format("searched in part, since {}: schedules of ", found.stopped);
  text += scope_text(r.scenario, r.budget);
  text += "\n" + harness::in_lines(harness::measures_of(r.scenario), style) +
          harness::in_lines(harness::assumptions_of(r.scenario, r.budget), style) +
          harness::in_lines(asking_phrases(r.scenario, found), style) + ties_text(r);
  std::vector<std::string> clients;
  for (const harness::ClientSpec& client : r.scenario.clients) clients.push_back(client.name);
  const auto never = sim::hosts_never_struck(r.budget, found.of_budget, clients, found.exchanged);
  if (found.complete && !never.empty()) text += fmt::format("  in no schedule: {}\n", fmt::join(never, ", "));
  text += fmt::format(
      "  {}, {}, {}, depth {}, {:.1f} s, {:.0f} bytes a state, engine {}\n", plural(found.states, "state"),
      plural(found.transitions, "transition"), plural(found.terminal, "final state"), found.depth, r.seconds,
      found.states ? static_cast<double>(found.bytes) / static_cast<double>(found.states) : 0.0, r.engine);
  if (found.unanswered > 0) {
    text += fmt::format(
        "  not followed further: {} in which nothing goes on but a program that has not answered for "
        "{}\n",
        plural(found.unanswered, "state"), harness::to_text(*r.scenario.answers));
  }
  if (!r.why_reexecution.empty())
    text += fmt::format("  not the stateful engine, which cannot search {}\n", r.why_reexecution);
  text += "  states compared exactly; ";
  if (!r.reduced) return text + "nothing was left out\n";
  text += "left out: orders of messages at one instant that commute";
  if (found.exchanged) text += ",\n  and states that differ only in which of the interchangeable clients is which\n ";
  return text + " (--no-reduction searches them too; that was not run)\n";
}

std::uint64_t percent(const sim::Probed& probed) { return probed.met == 0 ? 0 : probed.visited * 100 / probed.met; }

std::string stop_text(const ExploreReport& r) {
  switch (r.stop) {
    case Stop::none: return "";
    case Stop::first: return "it stops at the first violation; without --find first it goes on";
    case Stop::interrupted: return "it was interrupted";
    case Stop::time: return fmt::format("the time limit of {} was reached", r.limits.time);
    case Stop::memory: return fmt::format("the memory limit of {} was reached", r.limits.memory);
    case Stop::exhausted: return "the machine gave no more memory";
    case Stop::unrepresentable: return r.found.unrepresentable;
    case Stop::horizon:
      return fmt::format("something still went on at the horizon of {}, in {}", harness::to_text(r.scenario.horizon),
                         plural(r.found.at_horizon, "state"));
    case Stop::difference:
      return fmt::format("{}: {} not followed", sim::at_a_difference,
                         r.found.given_up == 1 ? "1 state was" : fmt::format("{} states were", r.found.given_up));
  }
  return "";
}

std::string learned_text(const ExploreReport& r, const harness::Style& style) {
  if (r.stop == Stop::first || (r.found.complete && r.found.probes_stopped.empty())) return "";
  if (!r.found.reached) return "to go on:\n" + ways_on(r, 0, style);
  const auto [faults, depth] = *r.found.reached;
  std::string text = "known nevertheless: every schedule";
  if (r.found.only_written) text += " in which clients ask as the scenario says,";
  if (r.found.written) text += " in which clients ask as the scenario says, and every one";
  if (faults > 0)
    text += fmt::format(" with {}, and",
                        faults == 1
                            ? "no fault of the budget"
                            : "fewer than " + plural(static_cast<std::uint64_t>(faults), "fault") + " of the budget");
  if (faults > 0) text += fmt::format(" with {}", plural(static_cast<std::uint64_t>(faults), "fault"));
  if (faults == 0 && !r.budget.budget.empty()) text += " without a fault of the budget";
  text += fmt::format(" as far as {}\n", plural(static_cast<std::uint64_t>(depth), "event"));
  if (r.found.probed) {
    text += fmt::format("an estimate: of the states that random schedules meet, {} % were visited\n",
                        percent(*r.found.probed));
  }
  return text + "to go on:\n" + ways_on(r, r.found.only_written ? 0 : faults, style);
}

std::string explore_json(const ExploreReport& r) {
  const sim::Exploration& found = r.found;
  harness::ExploredReport report;
  report.describe(r.scenario);
  report.engine = r.engine;
  if (r.reduced) report.reductions.emplace_back("commuting-arrivals");
  if (found.exchanged) report.reductions.emplace_back("interchangeable-clients");
  if (r.reduced && r.budget.ties == harness::Ties::together) report.reductions.emplace_back("replies-together");
  report.grid = harness::to_text(r.scenario.grid);
  report.max_faults = r.budget.max_faults;
  if (found.complete) report.never_struck = sim::never_struck(r.budget, found.of_budget);
  report.complete = found.complete;
  report.stopped = found.stopped;
  report.states = found.states;
  report.transitions = found.transitions;
  report.terminal = found.terminal;
  report.unanswered = found.unanswered;
  report.at_horizon = found.at_horizon;
  report.bytes = found.bytes;
  report.depth = found.depth;
  report.seconds = r.seconds;
  report.held = r.held;
  if (found.reached && !found.only_written) report.reached = {{found.reached->faults, found.reached->depth}};
  if (found.probed) report.percent_estimate = percent(*found.probed);
  report.properties = r.properties;
  if (const auto* shown = first_told(r)) report.counterexample = shown->second.scenario.text;
  report.saved = r.saved;
  if (r.causes) {
    report.causes.emplace();
    for (const Cause& cause : *r.causes) {
      report.causes->push_back({cause.way.first, cause.way.second, cause.faults, cause.places, !cause.unpreventable,
                                cause.events, cause.witness.text, cause.file});
    }
  }
  for (const auto& [way, shown] : r.counterexamples) {
    report.violations.push_back(way);
    if (is_unpreventable(r, way)) report.unpreventable.push_back(way);
  }
  report.happened = r.happened;
  report.programs = harness::executed_of(r.scenario);
  report.reproduce = r.reproduce;
  return explored_json(report);
}

const std::pair<const sim::ViolationKind, sim::Counterexample>* first_told(const ExploreReport& report) {
  const std::pair<const sim::ViolationKind, sim::Counterexample>* first = nullptr;
  std::pair<bool, int> first_rank;
  for (const check::Property& property : check::properties_of(report.scenario)) {
    for (const auto& shown : report.counterexamples) {
      if (shown.first.first != property.name) continue;
      const std::pair rank{is_unpreventable(report, shown.first), report.found.broken.at(shown.first).faults};
      if (first && first_rank <= rank) continue;
      first = &shown;
      first_rank = rank;
    }
  }
  return first;
}

std::string probe_text(const ExploreReport& report) {
  const auto* shown = first_told(report);
  if (!shown || shown->first.first != "deadlock-freedom" || report.scenario.progress) return "";
  const harness::Scenario& found = shown->second.scenario;
  std::string text;
  if (found.clients.size() > report.scenario.clients.size()) {
    text = fmt::format("{} is a client that the search adds, to ask whether the lock is free. ",
                       found.clients.back().name);
  }
  const std::string bound = found.progress ? harness::to_text(*found.progress) : "that long";
  return text + fmt::format("The scenario states no bound ([judge] progress); the {} are the search's.", bound);
}

std::string unpreventable_text(const ExploreReport& report) {
  std::string text;
  for (const check::Property& property : check::properties_of(report.scenario)) {
    const auto apart = ways(report, property.name, true);
    if (apart.empty()) continue;
    text += fmt::format("  {}: {}\n", property.name, ways_text(report, property.name, apart));
  }
  if (text.empty()) return "";
  return fmt::format("what {}, since the server itself gives up the lock:\n", none_prevents(report.scenario)) + text;
}

void leave_out_unpreventable(const ExploreReport& report, Finding& finding) {
  if (finding.verdict != Verdict::violated || ways(report, finding.property, true).empty()) return;
  const auto others = ways(report, finding.property, false);
  finding.what = ways_text(report, finding.property, others);
  if (!others.empty()) finding.kind = others.front().first;
  if (others.empty()) finding.what = fmt::format("only by what {}: see below", none_prevents(report.scenario));
}

}  // namespace lockproof::cli
