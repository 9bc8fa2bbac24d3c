// SPDX-License-Identifier: Apache-2.0
#include "execution/soak_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

#include "execution/trace_replay.hpp"
#include "harness/report/text/fault_text.hpp"
#include "harness/report/verdicts.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/write.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::execution {
namespace {

using harness::SoakedReport;

std::string claim_text(const Algorithm& algorithm, const sim::ViolationKind& way) {
  const Claims& claims = algorithm.claims;
  const Claim* claim = way.first == "owner-release"      ? &claims.owner_release
                       : way.first == "bounded-takeover" ? &claims.bounded_takeover
                       : way.second == "double-grant"    ? &claims.double_grant
                       : way.second == "outlived"        ? &claims.outlived
                                                         : nullptr;
  if (!claim) return "the lock makes no claim about it";
  switch (*claim) {
    case Claim::never: return "which the lock does not claim";
    case Claim::without_faults: return "which the lock claims as long as there are no faults";
    case Claim::always: return "AGAINST THE LOCK'S CLAIM";
  }
  return "";
}

std::string file_of(const SoakReportOrder& about, const SoakResult::Cause& cause, const char* what) {
  return fmt::format("{}/{}-{}{}{}{}-{}.toml", about.out, about.scenario.name, cause.way.first,
                     cause.way.second.empty() ? "" : "-" + cause.way.second, cause.kinds.empty() ? "" : "-by-",
                     fmt::join(cause.kinds, "-"), what);
}

/// As a file that says what it is.
std::string saved(const SoakReportOrder& about, const std::string& path, harness::Scenario scenario,
                  const std::string& title) {
  scenario.title = title;
  scenario.source = about.reproduce;
  about.write(path, scenario);
  return path;
}

/// What the simulator and real servers, step by step, say to the smallest scenario that shows it.
void try_smallest(const harness::Scenario& smallest, const real::Programs& programs, SoakedReport::Violation& into) {
  const ReplayedTrace again = replay_trace(smallest, smallest.seed, 1, programs);
  into.trace_replay = again.report.outcome;
  into.trace_replay_text = again.report.reason;
  if (again.report.outcome == "confirmed") into.trace_replay_text = harness::violated_text(again.report.run);
  if (again.report.difference) {
    into.trace_replay_text = fmt::format("{}: predicted {}, real {}", again.report.difference->what,
                                         again.report.difference->predicted, again.report.difference->real);
  }
}

void reduce(const SoakReportOrder& about, const real::Programs& programs, const SoakResult::Cause& cause,
            const SoakResult::Violation& found, SoakedReport::Violation& into) {
  const sim::ViolationKind& way = cause.way;
  const std::optional<sim::MinimizeOrder> smaller = about.begin_minimizing(way.first);
  if (!smaller) {
    into.not_smaller = "there was no time left to look for its smallest cause: a longer --time, or lockproof minimize";
    return;
  }
  sim::Minimum minimum = sim::minimize(found.scenario, way.first, *smaller);
  if (!minimum.found) {
    into.not_smaller =
        sim::never_breaks(minimum.other_schedules)
            ? fmt::format("with these faults no schedule of the simulator breaks it ({} states)", minimum.states)
            : fmt::format("the simulator was not seen to break it ({} states)", minimum.states);
    return;
  }
  harness::Scenario smallest = minimum.found->shown.scenario;
  into.smallest = harness::with_faults(smallest.faults);
  if (minimum.found->way.second != way.second) into.smallest += fmt::format(" ({})", minimum.found->way.second);
  const std::string title =
      fmt::format("{}: {}. {}", way.first, way.second.empty() ? "violated" : way.second, about.scenario.title);
  if (!about.out.empty()) {
    into.smallest_file = saved(about, file_of(about, cause, "smallest"), smallest, title);
    smallest = harness::load_scenario(into.smallest_file);
  } else {
    smallest = harness::parse_scenario("smallest.toml", harness::to_toml(smallest));
  }
  try_smallest(smallest, programs, into);
}

/// Kinds of the budget that no run had.
std::set<std::string> never_struck(const SoakOrder& order, const SoakResult& found) {
  std::set<std::string> kinds;
  if (order.budget->max_faults == 0) return kinds;
  for (const harness::BudgetedFault& entry : order.budget->budget) kinds.emplace(harness::name(entry.kind));
  for (const auto& [kind, count] : found.faults) kinds.erase(kind);
  return kinds;
}

void add_violations(const SoakOrder& order, const SoakResult& found, const SoakReportOrder& about, SoakedReport& r) {
  std::map<std::uint64_t, std::string> reduced;
  for (const auto& [cause, one] : found.violated) {
    const sim::ViolationKind& way = cause.way;
    SoakedReport::Violation v{.way = {way.first, way.second, claim_text(*about.scenario.algorithm, way)}};
    v.by = fmt::format("{}", fmt::join(cause.kinds, ", "));
    v.runs = one.runs;
    v.number = one.number;
    v.seconds = one.seconds;
    v.what = one.finding.what;
    v.faults = harness::with_faults(one.scenario.faults);
    if (!about.out.empty()) {
      const std::string title = fmt::format("{} on real servers. {}", way.first, about.scenario.title);
      v.found = saved(about, file_of(about, cause, "found"), one.scenario, title);
    }
    const std::string name = way.second.empty() ? way.first : fmt::format("{} ({})", way.first, way.second);
    if (const auto [known, is_new] = reduced.emplace(one.number, name); is_new) {
      reduce(about, order.programs, cause, one, v);
    } else {
      v.shown_by = known->second;
    }
    r.violated.push_back(std::move(v));
  }
}

}  // namespace

SoakedReport soak_report(const SoakOrder& order, const SoakResult& found, const SoakReportOrder& about) {
  SoakedReport r;
  r.describe(about.scenario);
  r.budget = about.budget;
  r.seed = order.seed;
  r.runs = found.runs;
  r.late = found.late;
  r.refused = found.refused;
  r.refusal = found.refusal;
  r.faults = found.faults;
  r.never_struck = never_struck(order, found);
  r.jobs = order.jobs;
  r.seconds = found.seconds;
  r.reproduce = about.reproduce;
  add_violations(order, found, about, r);
  return r;
}

}  // namespace lockproof::execution
