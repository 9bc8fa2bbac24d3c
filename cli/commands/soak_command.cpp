// SPDX-License-Identifier: Apache-2.0
// soak: random faults against real servers, for a while.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <thread>

#include "cli/commands.hpp"
#include "cli/options/limits.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/options/server_options.hpp"
#include "cli/output/output.hpp"
#include "cli/output/scenario_output.hpp"
#include "cli/reports/explore_watch.hpp"
#include "cli/reports/scope_text.hpp"
#include "execution/soak.hpp"
#include "execution/trace_replay.hpp"
#include "harness/history/jsonl.hpp"
#include "harness/input_error.hpp"
#include "harness/report/soaked.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/report/trace.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_bounds.hpp"
#include "harness/scenario/file/write.hpp"
#include "search/core/contention.hpp"
#include "search/minimize/minimize.hpp"

namespace lockproof::cli {
namespace {

using execution::replay_trace;
using execution::ReplayedTrace;
using execution::soak;
using execution::Soaked;
using execution::SoakOrder;
using harness::SoakedReport;

constexpr Duration minimizing_most = seconds(30);  // for each way
constexpr double for_runs = 0.7;                   // of the time, once something was found: the rest makes it small
constexpr unsigned jobs_per_core = 8;              // a run is waiting, mostly

std::string time_of(const Arguments& arguments) { return arguments.time.empty() ? soak_by_default : arguments.time; }

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

std::string file_of(const Arguments& arguments, const harness::Scenario& scenario, const Soaked::Cause& cause,
                    const char* what) {
  return fmt::format("{}/{}-{}{}{}{}-{}.toml", arguments.out, scenario.name, cause.way.first,
                     cause.way.second.empty() ? "" : "-" + cause.way.second, cause.kinds.empty() ? "" : "-by-",
                     fmt::join(cause.kinds, "-"), what);
}

/// As a file that says what it is.
std::string saved(const std::string& path, harness::Scenario scenario, const std::string& title,
                  const std::string& source) {
  scenario.title = title;
  scenario.source = source;
  write_scenario(path, scenario);
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

void reduce(const Arguments& arguments, const harness::Scenario& scenario, const Soaked::Cause& cause,
            const Soaked::Violation& found, SoakedReport::Violation& into, const std::string& source, Duration most) {
  const sim::ViolationKind& way = cause.way;
  ExploreWatch watch(std::min(most, minimizing_most), bytes_from(arguments.memory));
  sim::MinimizeLimits limits;
  limits.trial.stop = watch.guard().stop();
  limits.trial.stop_telling = watch.guard().stop_telling();
  limits.trial.workers = std::max(1u, std::thread::hardware_concurrency());
  limits.trial.go_on = [&](std::uint64_t states) {
    return watch.go_on(fmt::format("{}: looking for the smallest cause, {} states", way.first, states));
  };
  sim::Minimum minimum = sim::minimize(found.scenario, way.first, limits);
  if (!minimum.found) {
    into.not_smaller =
        sim::never_breaks(minimum.other_schedules)
            ? fmt::format("with these faults no schedule of the simulator breaks it ({} states)", minimum.states)
            : fmt::format("the simulator was not seen to break it ({} states)", minimum.states);
    return;
  }
  harness::Scenario smallest = minimum.found->shown.scenario;
  into.smallest = with_faults(smallest.faults);
  if (minimum.found->way.second != way.second) into.smallest += fmt::format(" ({})", minimum.found->way.second);
  const std::string title =
      fmt::format("{}: {}. {}", way.first, way.second.empty() ? "violated" : way.second, scenario.title);
  if (!arguments.out.empty()) {
    into.smallest_file = saved(file_of(arguments, scenario, cause, "smallest"), smallest, title, source);
    smallest = harness::load_scenario(into.smallest_file);
  } else {
    smallest = harness::parse_scenario("smallest.toml", harness::to_toml(smallest));
  }
  try_smallest(smallest, arguments.programs, into);
}

void refuse_what_does_not_fit(const Arguments& arguments, const harness::Scenario& scenario) {
  if (arguments.budget.empty() && !scenario.explore) {
    throw harness::InputError(scenario.file, 0,
                              "there are no faults to draw from: add --budget FILE, as in scenarios/budgets");
  }
}

/// Kinds of the budget that no run had.
std::set<std::string> never_struck(const SoakOrder& order, const Soaked& found) {
  std::set<std::string> kinds;
  if (order.budget->max_faults == 0) return kinds;
  for (const harness::BudgetedFault& entry : order.budget->budget) kinds.emplace(harness::name(entry.kind));
  for (const auto& [kind, count] : found.faults) kinds.erase(kind);
  return kinds;
}

SoakedReport report_of(const Arguments& arguments, const harness::Scenario& scenario, const SoakOrder& order,
                       const Soaked& found) {
  SoakedReport r;
  r.describe(scenario);
  r.budget = arguments.budget.empty() ? "[explore]" : arguments.budget;
  r.seed = order.seed;
  r.runs = found.runs;
  r.late = found.late;
  r.refused = found.refused;
  r.refusal = found.refusal;
  r.faults = found.faults;
  r.never_struck = never_struck(order, found);
  r.jobs = order.jobs;
  r.seconds = found.seconds;
  r.reproduce =
      fmt::format("lockproof soak {}{}{} --time {}{}{} --seed {}", harness::shell_word(scenario.called),
                  algorithm_words(arguments), program_words(arguments), time_of(arguments),
                  arguments.budget.empty() ? "" : " --budget " + harness::shell_word(arguments.budget),
                  arguments.max_faults ? fmt::format(" --max-faults {}", *arguments.max_faults) : "", order.seed);
  return r;
}

/// A run that violates several properties is made small for the first of them only.
void add_violations(const Arguments& arguments, const harness::Scenario& scenario, const Soaked& found, SoakedReport& r,
                    const std::function<Duration()>& left) {
  std::map<std::uint64_t, std::string> reduced;
  for (const auto& [cause, one] : found.violated) {
    const sim::ViolationKind& way = cause.way;
    SoakedReport::Violation v{.way = {way.first, way.second, claim_text(*scenario.algorithm, way)}};
    v.by = fmt::format("{}", fmt::join(cause.kinds, ", "));
    v.runs = one.runs;
    v.number = one.number;
    v.seconds = one.seconds;
    v.what = one.finding.what;
    v.faults = with_faults(one.scenario.faults);
    if (!arguments.out.empty()) {
      const std::string title = fmt::format("{} on real servers. {}", way.first, scenario.title);
      v.found = saved(file_of(arguments, scenario, cause, "found"), one.scenario, title, r.reproduce);
    }
    const std::string name = way.second.empty() ? way.first : fmt::format("{} ({})", way.first, way.second);
    if (const auto [known, is_new] = reduced.emplace(one.number, name); is_new) {
      if (left() > Duration{}) {
        reduce(arguments, scenario, cause, one, v, r.reproduce, left());
      } else {
        v.not_smaller = "there was no time left to look for its smallest cause: a longer --time, or lockproof minimize";
      }
    } else {
      v.shown_by = known->second;
    }
    r.violated.push_back(std::move(v));
  }
}

void print(const SoakedReport& r) {
  const harness::Style style = style_of_stdout();
  print_text(style, fmt::format("{}\n{}, real, under random faults, seed {}\n\n{}",
                                style.strong(harness::heading(r.title, r.scenario)), r.algorithm, r.seed,
                                soaked_text(r, style)));
  fmt::print("{}\n", style.command("reproduce: ", r.reproduce));
}

/// A run that violated something.
void keep(const std::string& folder, std::uint64_t number, const harness::Scenario& scenario,
          const harness::History& history) {
  const std::string here = fmt::format("{}/run-{}", folder, number);
  write_file(here + "/scenario.toml", scenario.text);
  write_file(here + "/history.jsonl", to_jsonl(history));
  write_file(here + "/trace.txt", trace(history, harness::Style(false)));
}

}  // namespace

int soak_command(const Arguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  const harness::Scenario scenario = scenario_of(arguments);
  refuse_what_does_not_fit(arguments, scenario);
  const bool alone = !arguments.budget.empty();
  harness::Bounds budget = alone ? harness::load_budget(arguments.budget, scenario) : *scenario.explore;
  if (arguments.max_faults) budget.max_faults = *arguments.max_faults;
  harness::Scenario soaked = sim::as_written(sim::bounded(scenario, budget, alone));
  soaked.horizon = scenario.horizon;
  sim::ModelFactory models;
  SoakOrder order{.scenario = &soaked, .budget = &budget};
  order.survey = sim::survey(soaked, &budget, models);
  order.seed = arguments.seed.value_or(scenario.seed);
  const std::optional<Duration> lasts = time_from(time_of(arguments));
  const double lasts_s = std::chrono::duration<double>(*lasts).count();
  order.jobs =
      arguments.workers ? arguments.workers : jobs_per_core * std::max(1u, std::thread::hardware_concurrency());
  order.first = arguments.find == "first";
  order.programs = arguments.programs;
  if (!arguments.out.empty()) order.keep = std::bind_front(keep, arguments.out + "/runs");
  Stop stopped = Stop::none;
  Soaked found;
  {
    ExploreWatch watch(lasts, std::nullopt);
    watch.line().show("running on real servers");
    order.go_on = [&](std::uint64_t runs, std::size_t causes) {
      const bool goes_on = watch.go_on(fmt::format("{} runs on real servers, {} violations", runs, causes));
      return goes_on && (causes == 0 || watch.seconds() < for_runs * lasts_s);
    };
    found = soak(order);
    stopped = watch.stop();
  }
  SoakedReport report = report_of(arguments, scenario, order, found);
  report.interrupted = stopped == Stop::interrupted;
  add_violations(arguments, scenario, found, report, [&] {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    return report.interrupted ? Duration{} : *lasts - std::chrono::duration_cast<Duration>(passed);
  });
  if (!arguments.out.empty()) write_file(arguments.out + "/soak.json", soaked_json(report));
  if (arguments.format == "json") {
    fmt::print("{}", soaked_json(report));
  } else {
    print(report);
  }
  return exit_code_of(report);
}

}  // namespace lockproof::cli
