// SPDX-License-Identifier: Apache-2.0
// replay: the simulator's run, done again on real servers.
#include <fmt/format.h>

#include <filesystem>

#include "cli/commands.hpp"
#include "cli/commands/replay_many.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/options/server_options.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress_line.hpp"
#include "execution/trace_replay.hpp"
#include "harness/history/jsonl.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/report/trace.hpp"
#include "harness/scenario/file/parse.hpp"

namespace lockproof::cli {
namespace {

using execution::replay_trace;
using execution::ReplayedTrace;

void write_all(const std::string& folder, const ReplayedTrace& done) {
  save_file(folder + "/history.jsonl", to_jsonl(done.history));
  save_file(folder + "/verdict.json", trace_replay_json(done.report));
  save_file(folder + "/trace.txt", trace(done.history, harness::Style(false)));
}

void print(const ReplayedTrace& done, bool with_trace, const harness::Style& style) {
  const harness::RunReport& run = done.report.run;
  print_text(style,
             fmt::format("{}\n{}, {}, seed {}, {} events\n\n", style.strong(harness::heading(run.title, run.scenario)),
                         run.algorithm, run.world, run.seed, run.events));
  if (with_trace && !done.history.events.empty()) fmt::print("{}\n", trace(done.history, style));
  print_text(style, trace_replay_text(done.report, style));
}

/// Of one scenario there is a trace; a page is of many.
bool is_one(const Arguments& arguments) {
  return arguments.paths.size() == 1 && arguments.format != "markdown" &&
         !std::filesystem::is_directory(scenario_path(arguments.paths.front()));
}

}  // namespace

int replay_command(const Arguments& arguments) {
  if (!is_one(arguments)) return replay_many(arguments);
  const harness::Scenario scenario = scenario_of(arguments);
  std::optional<ProgressLine> line(std::in_place, "replaying on real servers");
  ReplayedTrace done =
      replay_trace(scenario, arguments.seed.value_or(scenario.seed), arguments.repeat.value_or(1), arguments.programs);
  line.reset();
  done.report.run.reproduce += algorithm_words(arguments) + program_words(arguments);
  if (!arguments.out.empty()) write_all(arguments.out, done);
  if (!arguments.junit.empty()) save_file(arguments.junit, harness::trace_replay_junit({done.report}));
  if (arguments.format == "json") {
    fmt::print("{}", trace_replay_json(done.report));
  } else {
    const harness::Style style = style_of_stdout();
    print(done, !arguments.quiet, style);
    if (!arguments.out.empty() && unwritten().empty()) {
      print_text(style, fmt::format("written: {}/history.jsonl, verdict.json, trace.txt\n", arguments.out));
    }
    fmt::print("{}\n", style.command("reproduce: ", done.report.run.reproduce));
  }
  return exit_code_of(done.report);
}

}  // namespace lockproof::cli
