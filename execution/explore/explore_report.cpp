// SPDX-License-Identifier: Apache-2.0
#include "execution/explore/explore_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "execution/explore/scope_text.hpp"
#include "harness/check/verdict_text.hpp"
#include "harness/report/text/assumptions.hpp"
#include "harness/report/text/executed.hpp"
#include "harness/report/text/fault_text.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/faults/unpreventable.hpp"
#include "harness/scenario/names.hpp"
#include "harness/scenario/services.hpp"
#include "search/core/contention.hpp"
#include "search/results/vacuity.hpp"

namespace lockproof::execution {
namespace {

using check::Finding;
using check::Verdict;
using harness::fault_text;
using harness::StopReason;
using search::End;

/// No limit came before.
bool ends_as(const ExploreReport& r, End end) { return r.stop == StopReason::none && r.end == end; }

/// Command lines, each with what it is good for.
std::string ways_on(const ExploreReport& r, int faults, const harness::Style& style) {
  constexpr std::string_view in_zones = " --engine zones";
  if (const auto at = r.command.find(in_zones); r.found.every_timing && at != std::string::npos) {
    std::string points = r.command;
    points.erase(at, in_zones.size());
    return fmt::format("{}\n      chosen points of time, and all properties; it takes no ranges\n",
                       style.command("  ", points));
  }
  constexpr int more = 4;  // times
  std::vector<std::pair<std::string, std::string>> ways;
  const bool saved = r.found.saved;
  const std::string same = r.command + r.max_faults + (saved ? " --resume " + harness::shell_word(r.checkpoint) : "");
  const std::string from = saved ? "from where it stopped" : "from the start";
  if (r.stop == StopReason::interrupted) ways.emplace_back(same, from);
  if (r.stop == StopReason::exhausted) ways.emplace_back(same, "with more memory for the process, " + from);
  if (r.stop == StopReason::time) {
    const Duration longer = harness::duration_from(r.given.time).value() * more;
    ways.emplace_back(fmt::format("{} --time {}", same, harness::to_text(longer)), "for longer, " + from);
  }
  if (r.stop == StopReason::memory) {
    const std::string& memory = r.given.memory;
    ways.emplace_back(fmt::format("{} --memory {}{}", same, std::stoull(memory) * more, memory.back()),
                      "with more memory, " + from);
  }
  if (ends_as(r, End::unrepresentable)) {
    std::string other = r.command;
    const std::string_view engine = "--engine stateful";
    if (const auto at = other.find(engine); at != std::string::npos)
      other.replace(at, engine.size(), "--engine reexecution");
    ways.emplace_back(other, "with the engine that has no such limit, from the start");
  }
  if (ends_as(r, End::horizon)) return "  a later [run] horizon\n";
  if (ends_as(r, End::difference)) return "  lockproof real, which can judge such a program too\n";
  if (faults > 0) {
    ways.emplace_back(fmt::format("{} --max-faults {}", r.command, faults - 1),
                      "what was searched whole: ends with a verdict");
  } else if (r.bounds.max_faults > 1) {
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
  if (r.bounds.contention == harness::Contention::as_written && !r.scenario.period && !r.scenario.program) {
    text += "  without contention = \"as-written\": clients poll as the scenario says, and each poll is an event\n";
  }
  return text + "  less in [explore]: rounds, attempts, kinds of faults; a longer retry, a coarser grid\n";
}

}  // namespace

/// What is left out of the verdict, and not only of the search.
std::string ties_text(const ExploreReport& r) {
  if (!r.reduced || r.bounds.ties == harness::Ties::all) return "";
  return "  of replies that reach a client at one instant only the order of the servers was searched (ties = "
         "\"together\")\n";
}

/// How it was searched, where that was not as a whole.
std::string parts_text(const ExploreReport& r) {
  std::string text;
  if (!r.parts.empty()) {
    text += fmt::format("  searched in {}, one for each form of a fault{}\n", plural(r.parts.size(), "part"),
                        r.bounds.max_faults > 1 ? ", or pair of them" : "");
  }
  std::vector<std::string> drawn;
  for (const auto& [violation, broken] : r.found.broken) {
    const auto& [property, kind] = violation;
    if (broken.drawn) drawn.push_back(kind.empty() ? property : fmt::format("{} ({})", property, kind));
  }
  if (!drawn.empty()) {
    text += fmt::format("  drawn, in {}, and not reached by the search: {}\n", plural(r.drawn, "run"),
                        fmt::join(drawn, ", "));
  }
  return text;
}

/// Of a search in parts that was stopped: what is left.
std::string open_parts_text(const ExploreReport& r) {
  constexpr std::size_t shown_most = 6;
  std::vector<std::string> open;
  for (const search::PartResult& part : r.parts) {
    if (!part.whole) open.push_back(part.faults);
  }
  const std::size_t more = open.size() > shown_most ? open.size() - shown_most : 0;
  open.resize(open.size() - more);
  return fmt::format(" with faults of {} of {}; the others in part: {}{}\n", r.parts.size() - open.size() - more,
                     plural(r.parts.size(), "part"), fmt::join(open, ", "),
                     more > 0 ? fmt::format(", and {} more", more) : "");
}

std::string evidence_text(const ExploreReport& r, const harness::Style& style) {
  const sim::Exploration& found = r.found;
  std::string text = found.complete ? "searched: every schedule of "
                                    : fmt::format("searched in part, since {}: schedules of ", found.stopped);
  text += scope_text(r.scenario, r.bounds);
  text +=
      "\n" + harness::in_lines(harness::measures_of(r.scenario), style) +
      harness::in_lines(harness::assumptions_of(r.scenario, r.bounds, found.every_timing, found.late_starts), style) +
      harness::in_lines(asking_phrases(r.scenario, found), style) + ties_text(r);
  std::vector<std::string> clients;
  for (const harness::ClientSpec& client : r.scenario.clients) clients.push_back(client.name);
  const auto never = sim::hosts_never_struck(r.bounds, found.of_budget, clients, found.exchanged);
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
  text += parts_text(r);
  if (!r.why_reexecution.empty())
    text += fmt::format("  not the stateful engine, which cannot search {}\n", r.why_reexecution);
  if (found.every_timing) {
    return text +
           "  a state stands for all timings that lead to it: for a zone, to the microsecond;\n"
           "  the server's clock rounds each lease up by at most 1 ms, whatever it does to others\n";
  }
  text += "  states compared exactly; ";
  if (!r.reduced) return text + "nothing was left out\n";
  text += "left out: orders of messages at one instant that commute";
  if (found.exchanged) text += ",\n  and states that differ only in which of the interchangeable clients is which\n ";
  return text + " (--no-reduction searches them too; that was not run)\n";
}

std::uint64_t percent(const sim::CoverageEstimate& probed) {
  return probed.met == 0 ? 0 : probed.visited * 100 / probed.met;
}

std::string stop_text(const ExploreReport& r) {
  if (r.stop != StopReason::none) return harness::stop_text(r.stop, r.given);
  switch (r.end) {
    case End::complete: return "";
    case End::enough: return "it stops at the first violation; without --find first it goes on";
    case End::limit: return harness::stop_text(StopReason::memory, r.given);
    case End::unrepresentable: return r.found.unrepresentable;
    case End::horizon:
      return fmt::format("something still went on at the horizon of {}, in {}", harness::to_text(r.scenario.horizon),
                         plural(r.found.at_horizon, "state"));
    case End::difference:
      return fmt::format("{}: {} not followed", sim::at_a_difference,
                         r.found.given_up == 1 ? "1 state was" : fmt::format("{} states were", r.found.given_up));
  }
  return "";
}

std::string learned_text(const ExploreReport& r, const harness::Style& style) {
  if (ends_as(r, End::enough) || (r.found.complete && r.found.probes_stopped.empty())) return "";
  if (!r.found.reached) return "to go on:\n" + ways_on(r, 0, style);
  const auto [faults, depth] = *r.found.reached;
  std::string text = "known nevertheless: every schedule";
  if (r.found.only_written) text += " in which clients ask as the scenario says,";
  if (r.found.written) text += " in which clients ask as the scenario says, and every one";
  const std::string events = plural(static_cast<std::uint64_t>(depth), "event");
  if (faults == 1) text += " with no fault of the budget";
  if (faults > 1) {
    text += fmt::format(" with fewer than {} of the budget", plural(static_cast<std::uint64_t>(faults), "fault"));
  }
  if (!r.parts.empty()) {
    text += (faults > 0 ? ", and" : "") + open_parts_text(r);
  } else if (faults > 0 && depth > 0) {
    text += fmt::format(", and with {} as far as {}\n", plural(static_cast<std::uint64_t>(faults), "fault"), events);
  } else if (faults > 0) {
    text += "\n";
  } else {
    text += fmt::format("{} as far as {}\n", r.bounds.budget.empty() ? "" : " without a fault of the budget", events);
  }
  if (r.found.probed) {
    text += fmt::format("an estimate: of the states that random schedules meet, {} % were visited\n",
                        percent(*r.found.probed));
  }
  return text + "to go on:\n" + ways_on(r, r.found.only_written ? 0 : faults, style);
}

harness::RunReport as_run(const ExploreReport& report, bool brief) {
  harness::RunReport run;
  run.describe(report.scenario);
  run.world = "explored";
  run.properties = report.properties;
  run.ignores_expect = report.ignores_expect;
  for (check::ComparedFinding& compared : run.properties) {
    const std::string& what = compared.finding.what;
    if (brief && (what == report.found.stopped || what == search::nothing_shown)) compared.finding.what.clear();
    if (brief) search::leave_out_unpreventable(report, compared.finding);
  }
  if (!brief) run.happened = report.happened;
  run.reproduce = report.reproduce;
  run.seconds = report.seconds;
  return run;
}

std::string probe_text(const ExploreReport& report) {
  const auto* shown = search::first_counterexample(report);
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

}  // namespace lockproof::execution
