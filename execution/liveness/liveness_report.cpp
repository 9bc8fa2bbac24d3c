// SPDX-License-Identifier: Apache-2.0
#include "execution/liveness/liveness_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "execution/explore/scope_text.hpp"
#include "harness/report/text/assumptions.hpp"
#include "harness/report/trace.hpp"
#include "harness/scenario/names.hpp"
#include "search/results/vacuity.hpp"

namespace lockproof::execution {
namespace {

using check::Agreement;
using check::Verdict;

std::string why(const sim::Loop& loop) {
  const std::string who = loop.client;
  if (loop.turn == 0) return fmt::format("{} waits, and nothing happens any more", who);
  if (loop.kind == "starvation") return fmt::format("others get the lock again and again, {} never does", who);
  if (loop.kind == "lost-wakeup") return fmt::format("{} waits to be woken and never is", who);
  if (loop.kind == "orphan-watchdog") return "a watchdog renews the lock of a client whose worker is dead";
  if (loop.kind == "unbounded-extension") return "a holder that never ends its work renews its lock indefinitely";
  if (loop.kind == "orphaned") return "the lock's key stays, of a client that has ended";
  if (loop.kind == "never-released") return "its holder never leaves, and no lease ends that";
  return "all clients that want the lock try again and again, and none gets it";
}

/// A part of a history as one of its own.
harness::History part(const harness::History& history, std::size_t from, std::size_t to) {
  const auto at = [&](std::size_t i) { return history.events.begin() + static_cast<std::ptrdiff_t>(i); };
  return {history.header, {at(from), at(to)}};
}

}  // namespace

check::ComparedFinding judged(const LivenessReport& report, const std::optional<std::string>& expected) {
  check::ComparedFinding compared;
  check::Finding& finding = compared.finding;
  compared.expected = expected.value_or("");
  finding.property = "liveness";
  if (report.found.differs) {
    finding.verdict = Verdict::unknown;
    finding.what = "the search found a loop that the simulator does not show: an error of lockproof";
  } else if (!report.found.loops.empty()) {
    finding.verdict = Verdict::violated;
    finding.kind = report.found.loops.front().kind;
    for (const sim::Loop& loop : report.found.loops) {
      finding.what += fmt::format("{}{}: {}; {}", finding.what.empty() ? "" : "\n      ", loop.kind, why(loop),
                                  with_faults(loop.scenario.faults));
    }
  } else if (report.finish && !report.finish->stuck.empty()) {
    finding.verdict = Verdict::violated;
    finding.kind = report.finish->stuck.front().kind;
    for (const sim::Finish::StandstillRuns& stuck : report.finish->stuck) {
      finding.what += fmt::format("{}{}: {}; {} of {} ended so, {}", finding.what.empty() ? "" : "\n      ", stuck.kind,
                                  stuck.finding.what, stuck.runs, plural(report.finish->runs, "schedule"),
                                  with_faults(stuck.scenario.faults));
    }
  } else if (report.finish && report.finish->runs > 0) {
    finding.verdict = Verdict::not_found;
    finding.what = fmt::format(
        "in {} every client got the lock within {} of the last fault's end; so fewer than 1 in {} "
        "do not, at 95 %, as they were drawn",
        plural(report.finish->runs, "schedule"), harness::to_text(report.finish->within),
        std::max<std::uint64_t>(1, report.finish->runs / 3));
  } else if (!report.found.complete) {
    finding.verdict = Verdict::unknown;
    finding.what = report.found.stopped;
  } else {
    finding.what = sim::why_vacuous(report.scenario, report.budget, report.found.shown);
    finding.verdict = finding.what.empty() ? Verdict::holds : Verdict::unknown;
  }
  const auto is_expected = [&](const auto& one) { return one.kind == compared.expected; };
  const bool kind_found = std::ranges::any_of(report.found.loops, is_expected) ||
                          (report.finish && std::ranges::any_of(report.finish->stuck, is_expected));
  if (!expected) {
    compared.met = Agreement::unstated;
  } else if (compared.expected == name(finding.verdict) || kind_found) {
    compared.met = Agreement::yes;
  } else {
    const bool decided = finding.verdict == Verdict::violated || finding.verdict == Verdict::holds;
    compared.met = decided ? Agreement::no : Agreement::unknown;
  }
  return compared;
}

std::string loop_text(const sim::Loop& loop, const harness::Style& style) {
  std::string text = fmt::format("{}\n", trace(part(loop.history, 0, loop.begins), style));
  if (loop.turn == 0) return text + style.strong("and then nothing happens any more") + "\n";
  text += fmt::format("{}\n\n{}\n", style.strong("from here on, one turn:"),
                      trace(part(loop.history, loop.begins, loop.ends), style));
  return text + style.fit(fmt::format("{}: the state of event {} again after event {}, {} later\n",
                                      style.strong("and so on indefinitely"), loop.stem, loop.stem + loop.turn,
                                      harness::to_text(loop.turn_lasts)));
}

std::string liveness_evidence(const LivenessReport& r, const harness::Style& style) {
  const sim::EndlessRuns& found = r.found;
  std::string text = found.complete ? "searched: the whole state graph of "
                                    : fmt::format("searched in part, since {}: the state graph of ", found.stopped);
  text += scope_text(r.scenario, r.budget) + "\n" + harness::in_lines(harness::measures_of(r.scenario), style) +
          harness::in_lines(harness::assumptions_of(r.scenario, r.budget), style);
  text += fmt::format("  {}, {}, {:.1f} s\n", plural(found.states, "state"), plural(found.transitions, "transition"),
                      r.seconds);
  if (r.finish && r.finish->runs > 0) {
    text += fmt::format(
        "heal, then finish: {} drawn at random, {:.1f} s; faults stop in each, and from then on\n"
        "  every client that wants the lock has {} to get it\n",
        plural(r.finish->runs, "schedule"), r.finish_seconds, harness::to_text(r.finish->within));
  }
  text += "  loops that count: time passes on them, and no fault strikes";
  if (found.drawn) text += "; whatever a jitter draws on the way,\n  they can go on";
  return text +
         "\n  nothing was left out: no reduction of ties, and interchangeable clients are told apart\n"
         "  what else may break, explore without --liveness tells\n";
}

}  // namespace lockproof::execution
