// SPDX-License-Identifier: Apache-2.0
// minimize: the smallest cause of a violation.
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "cli/commands.hpp"
#include "cli/commands/explore_watch.hpp"
#include "cli/options/limits.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/output/output.hpp"
#include "cli/output/run_output.hpp"
#include "cli/output/scenario_output.hpp"
#include "execution/minimize/minimize_report.hpp"
#include "harness/check/expectation.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/report/trace.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/write.hpp"

namespace lockproof::cli {
namespace {

using execution::MinimizeReport;

std::string reproduce_text(const Arguments& arguments) {
  std::string text = "lockproof minimize " + harness::shell_word(arguments.paths.front());
  if (!arguments.property.empty()) text += " --property " + arguments.property;
  if (arguments.seed) text += fmt::format(" --seed {}", *arguments.seed);
  if (arguments.states != Arguments().states) text += fmt::format(" --states {}", arguments.states);
  return text;
}

/// The scenario, as a file that says what it is.
void write_down(MinimizeReport& report) {
  harness::Scenario& scenario = report.found.shown.scenario;
  const std::string title = fmt::format("{}: {}", report.found.way.first,
                                        report.found.way.second.empty() ? "violated" : report.found.way.second);
  const std::string& old = report.scenario.title;
  scenario.title = old.starts_with(title) ? old : old.empty() ? title : title + ". " + old;
  scenario.source = report.reproduce;
  scenario.text = harness::to_toml(scenario);
}

void save(const std::string& out, MinimizeReport& report) {
  const bool file = out.ends_with(".toml");
  report.saved = file ? out : fmt::format("{}/{}-minimal.toml", out, report.scenario.name);
  if (!save_scenario(report.saved, report.found.shown.scenario)) report.saved.clear();
  if (!file) save_file(out + "/minimize.json", minimize_json(report));
}

void print(const Arguments& arguments, const MinimizeReport& report) {
  const harness::Style style = style_of_stdout();
  print_text(style, fmt::format("{}\n{}, the smallest cause\n\n",
                                style.strong(harness::heading(report.scenario.title, report.scenario.name)),
                                report.scenario.algorithm->name));
  if (!arguments.quiet) fmt::print("{}\n", trace(report.found.shown.history, style));
  print_text(style, minimize_text(report, style));
  if (report.saved.empty()) {
    fmt::print("\n{}\n{}\n", style.strong("the scenario, which --out FILE.toml saves"),
               report.found.shown.scenario.text);
  } else {
    fmt::print("{}\n", style.command("saved: ", "lockproof run " + harness::shell_word(report.saved)));
  }
  fmt::print("{}\n", style.command("reproduce: ", report.reproduce));
}

/// One clear message instead of a smaller scenario.
int nothing_to_minimize(const Arguments& arguments, const sim::Minimum& minimum, const std::string& stopped) {
  const std::string file = harness::printable(arguments.paths.front());
  const std::string what = arguments.property.empty() ? "no property" : "no " + arguments.property;
  const bool holds = sim::never_breaks(minimum.other_schedules);
  if (holds) {
    complain(fmt::format(
        "{}: there is nothing to minimize: its run violates {}, nor does any other schedule with its faults "
        "({} states){}",
        file, what, minimum.states,
        minimum.other_schedules == sim::Answer::vacuous ? "; no two clients ever contend for the lock" : ""));
  } else {
    complain(fmt::format(
        "{}: nothing was found that could be minimized: its run violates {}, and its other schedules were searched in "
        "part only ({} states){}",
        file, what, minimum.states, stopped.empty() ? "; --states N allows more" : ", since " + stopped));
  }
  return holds ? check::exit_code::not_violated : check::exit_code::unknown;
}

}  // namespace

int minimize_command(const Arguments& arguments) {
  ExploreWatch watch(time_from(arguments.time), bytes_from(arguments.memory));
  MinimizeReport report;
  report.file = arguments.paths.front();
  report.scenario = scenario_of(arguments);
  report.scenario.seed = arguments.seed.value_or(report.scenario.seed);
  report.states_most = arguments.states;
  report.reproduce = reproduce_text(arguments);

  sim::MinimizeOrder order;
  order.limits.work = arguments.states;
  order.limits.workers = arguments.workers ? arguments.workers : std::max(1u, std::thread::hardware_concurrency());
  order.limits.stop = watch.guard().stop();
  order.limits.stop_telling = watch.guard().stop_telling();
  std::string doing;
  order.tell = [&](const std::string& now) { doing = now; };
  order.limits.go_on = [&](const sim::Progress& progress) {
    return watch.go_on(fmt::format("{} … {} states", doing, progress.states));
  };
  sim::Minimum minimum = sim::minimize(report.scenario, arguments.property, order);
  report.stopped = harness::stop_text(watch.stop(), {arguments.time, arguments.memory});
  if (!minimum.found) return nothing_to_minimize(arguments, minimum, report.stopped);
  report.found = *std::move(minimum.found);
  if (!report.found.stopped) report.stopped.clear();  // it came to its end all the same
  write_down(report);
  if (!arguments.out.empty()) save(arguments.out, report);
  if (arguments.format == "json") {
    fmt::print("{}", minimize_json(report));
  } else if (arguments.format == "mermaid") {
    print_diagram(report.found.shown, report.reproduce);
  } else {
    print(arguments, report);
  }
  return report.stopped.empty() ? check::exit_code::met : check::exit_code::unknown;
}

}  // namespace lockproof::cli
