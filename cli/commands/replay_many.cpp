// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/replay_many.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "cli/options/scenario_files.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress_line.hpp"
#include "execution/trace_replay.hpp"
#include "harness/input_error.hpp"
#include "harness/report/text/printable.hpp"
#include "real/errors.hpp"
#include "real/os/shared_files.hpp"
#include "real/os/side_by_side.hpp"

namespace lockproof::cli {
namespace {

using execution::replay_trace;
using harness::TraceReplayReport;

/// Where the machine cannot do one of many scenarios again, the others are done all the same.
TraceReplayReport report_of(const harness::Scenario& scenario, const Arguments& arguments) {
  try {
    return replay_trace(scenario, arguments.seed.value_or(scenario.seed), arguments.repeat.value_or(1),
                        arguments.programs)
        .report;
  } catch (const real::BadEnvironment& e) {
    TraceReplayReport report;
    report.run.scenario = scenario.name;
    report.run.file = scenario.called;
    report.outcome = "not-reproducible";
    report.reason = e.what();
    return report;
  }
}

std::vector<TraceReplayReport> all_of(const std::vector<harness::Scenario>& scenarios, const Arguments& arguments,
                                      const harness::Style& style) {
  const bool text = arguments.format == "text";
  std::vector<TraceReplayReport> reports;
  ProgressLine line("replaying");
  const real::SharedFiles files;
  real::side_by_side(
      scenarios.size(), arguments.workers ? arguments.workers : std::max(1U, std::thread::hardware_concurrency()),
      [&](std::size_t i) { return trace_replay_json(report_of(scenarios[i], arguments)); },
      [&](std::size_t i, const std::string& made) {
        reports.push_back(harness::trace_replay_from_json(made));
        reports.back().run.title = scenarios[i].title;
        line.clear();
        if (text) fmt::print("{}\n", style.wrap("  " + trace_replay_line(reports.back(), style), 6));
        std::fflush(stdout);
      },
      [&] {
        line.show(reports.size(), scenarios.size(), "replays");
        return true;
      });
  return reports;
}

}  // namespace

int replay_many(const Arguments& arguments) {
  if (!arguments.algorithm.empty()) {
    throw harness::InputError("--algorithm", 0, "is for one scenario, and several are replayed here");
  }
  LoadedScenarios loaded = load_scenarios(arguments.paths);  // all are read before the first runs
  leave_out_programs(loaded, "which has no simulated run to be done again");
  for (const harness::UnreadableFile& one : loaded.unreadable) complain(one.why);
  for (const harness::UnreadableFile& one : loaded.open) complain("cannot judge: " + one.why);
  const std::vector<TraceReplayReport> reports = all_of(loaded.scenarios, arguments, style_of_stdout());

  int worst = check::exit_code::met;
  for (const TraceReplayReport& report : reports) {
    const int code = exit_code_of(report);
    if (code == check::exit_code::failed || worst == check::exit_code::met) worst = code;
  }
  if (worst == check::exit_code::met && !loaded.open.empty()) worst = check::exit_code::unknown;
  if (!loaded.unreadable.empty()) worst = check::exit_code::usage;
  const std::string json = trace_replay_json(reports, loaded.unreadable);
  if (!arguments.junit.empty()) save_file(arguments.junit, trace_replay_junit(reports, loaded.unreadable));
  if (!arguments.out.empty()) save_file(arguments.out + "/trace-replay.json", json);
  if (arguments.format == "json") fmt::print("{}", json);
  if (arguments.format == "markdown") fmt::print("{}", trace_replay_page(reports));
  if (arguments.format == "text") {
    const auto confirmed = std::ranges::count(reports, "confirmed", &TraceReplayReport::outcome);
    const harness::Style style = style_of_stdout();
    print_text(style, fmt::format("\n{} of {} scenarios confirmed\n", confirmed, reports.size()));
    if (!arguments.out.empty() && unwritten().empty())
      print_text(style, fmt::format("written: {}/trace-replay.json\n", arguments.out));
  }
  return worst;
}

}  // namespace lockproof::cli
