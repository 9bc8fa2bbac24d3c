// SPDX-License-Identifier: Apache-2.0
// explore --liveness: whether every client that wants the lock eventually gets it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "cli/commands.hpp"
#include "cli/commands/explore_watch.hpp"
#include "cli/options/limits.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/output/output.hpp"
#include "cli/output/scenario_output.hpp"
#include "execution/liveness/liveness.hpp"
#include "harness/input_error.hpp"
#include "harness/report/junit.hpp"
#include "harness/report/pull_request/pull_request.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/report/verdicts.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_bounds.hpp"
#include "harness/scenario/file/write.hpp"

namespace lockproof::cli {
namespace {

using execution::LivenessOrder;
using execution::LivenessPhase;
using execution::LivenessReport;

constexpr std::uint64_t finishes = 1'000;  // schedules, by default

/// The part of --time that the search of the graph gets; the remainder is for schedules.
std::optional<Duration> time_of_search(const Arguments& arguments) {
  const std::optional<Duration> whole = time_from(arguments.time);
  return whole && arguments.runs != 0u ? std::optional(*whole / 4 * 3) : whole;
}

void refuse_what_does_not_fit(const Arguments& arguments) {
  const auto refuse = [](const char* option, const char* why) { throw harness::InputError(option, 0, why); };
  if (arguments.engine != "auto") {
    refuse("--engine", "--liveness has a search of its own, which neither engine does; leave --engine out");
  }
  if (!arguments.find.empty())
    refuse("--find", "--liveness looks for loops once it has the whole graph; leave --find out");
  if (arguments.format == "dot") refuse("--format", "--liveness draws no graph; leave one of the two out");
  if (arguments.walk) refuse("--walk", "--liveness searches no space of states to walk through");
  if (arguments.html) refuse("--html", "--liveness writes no page; lockproof run and report do, of what --out saves");
  if (!arguments.checkpoint.empty()) refuse("--checkpoint", "--liveness cannot go on from a checkpoint; leave it out");
  if (!arguments.resume.empty()) refuse("--resume", "--liveness cannot go on from a checkpoint; leave it out");
  if (arguments.workers != 0) refuse("--workers", "--liveness works with one thread; leave it out");
}

LivenessPhase phase_of(ExploreWatch& watch) {
  return {.stop = watch.guard().stop(),
          .go_on = [&watch](const sim::Progress& progress) { return watch.go_on(progress); },
          .go_on_runs = [&watch](const std::string& doing) { return watch.go_on(doing); },
          .why_stopped = [&watch] { return watch.stop(); },
          .seconds = [&watch] { return watch.seconds(); }};
}

LivenessReport report_of(const Arguments& arguments, const harness::Scenario& scenario) {
  std::optional<ExploreWatch> watch;  // one at a time
  LivenessOrder order;
  order.scenario = scenario;
  order.alone = !arguments.budget.empty();
  order.bounds =
      order.alone ? harness::load_budget(arguments.budget, scenario) : scenario.explore.value_or(harness::Bounds{});
  if (arguments.max_faults) order.bounds.max_faults = *arguments.max_faults;
  order.runs = arguments.runs.value_or(finishes);
  order.workers = std::max(1u, std::thread::hardware_concurrency());
  order.given = {arguments.time, arguments.memory};
  order.file = arguments.paths.front();
  order.reproduce =
      fmt::format("lockproof explore {}{} --liveness{}{}{}", harness::shell_word(order.file),
                  algorithm_words(arguments), order.alone ? " --budget " + harness::shell_word(arguments.budget) : "",
                  arguments.max_faults ? fmt::format(" --max-faults {}", *arguments.max_faults) : "",
                  arguments.runs ? fmt::format(" --runs {}", *arguments.runs) : "");
  order.begin_search = [&] {
    watch.emplace(time_of_search(arguments), bytes_from(arguments.memory));
    return phase_of(*watch);
  };
  order.begin_runs = [&](double gone) {
    watch.reset();
    std::optional<Duration> left = time_from(arguments.time);
    if (left) *left -= Duration(static_cast<std::int64_t>(gone * 1e6));
    watch.emplace(left, std::nullopt);
    return phase_of(*watch);
  };
  return execution::liveness(order);
}

void save(const Arguments& arguments, LivenessReport& report) {
  const auto save = [&](const auto& found) {
    const std::string path = fmt::format("{}/{}-{}.toml", arguments.out, report.scenario.name, found.kind);
    if (save_scenario(path, found.scenario)) report.saved.push_back(path);
  };
  for (const sim::Loop& loop : report.found.loops) save(loop);
  if (report.finish) std::ranges::for_each(report.finish->stuck, save);
  save_file(arguments.out + "/verdict.json", liveness_json(report));
}

harness::RunReport as_run(const LivenessReport& report) {
  harness::RunReport run;
  run.describe(report.scenario);
  run.world = "endless";
  run.properties = {report.liveness};
  run.reproduce = report.reproduce;
  run.seconds = report.seconds;
  return run;
}

void print(const Arguments& arguments, const LivenessReport& report) {
  const harness::Style style = style_of_stdout();
  print_text(style, fmt::format("{}\n{}, every fair schedule\n\n",
                                style.strong(harness::heading(report.scenario.title, report.scenario.name)),
                                report.scenario.algorithm->name));
  if (!report.found.loops.empty() && !arguments.quiet) {
    const sim::Loop& loop = report.found.loops.front();
    print_text(style, fmt::format("how {} never gets the lock ({}), with the fewest faults, and then events:\n\n",
                                  loop.client, loop.kind));
    fmt::print("{}\n", execution::loop_text(loop, style));
  }
  print_text(style, fmt::format("{}\n{}", verdict_text(as_run(report), style), liveness_evidence(report, style)));
  const bool looped = !report.found.loops.empty();
  const bool stuck = report.finish && !report.finish->stuck.empty();
  for (const std::string& path : report.saved) {
    fmt::print("{}\n", style.command(looped ? "three turns: " : "such a schedule: ",
                                     "lockproof run " + harness::shell_word(path)));
  }
  if (arguments.out.empty() && (looped || stuck)) {
    print_text(style, fmt::format("--out DIR saves the {} as scenarios\n", looped ? "loops" : "schedules"));
  }
  fmt::print("{}\n", style.command("reproduce: ", report.reproduce));
}

}  // namespace

int liveness_command(const Arguments& arguments) {
  refuse_what_does_not_fit(arguments);
  const harness::Scenario scenario = scenario_of(arguments);
  LivenessReport report = report_of(arguments, scenario);
  if (!arguments.out.empty()) save(arguments, report);
  if (!arguments.junit.empty()) save_file(arguments.junit, harness::junit({as_run(report)}));
  const harness::PullRequest shown{{as_run(report)},
                                   {},
                                   {},
                                   {{report.scenario.called, written_in(scenario)}},
                                   liveness_evidence(report, harness::Style(false))};
  if (arguments.format == "json") {
    fmt::print("{}", liveness_json(report));
  } else if (arguments.format == "markdown") {
    fmt::print("{}", summary_markdown(shown));
  } else if (arguments.format == "github") {
    fmt::print("{}", github_annotations(shown));
  } else {
    print(arguments, report);
  }
  return check::exit_code_of(report.liveness.met);
}

}  // namespace lockproof::cli
