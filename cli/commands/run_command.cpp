// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/external_servers.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/options/server_options.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress_line.hpp"
#include "cli/output/run_output.hpp"
#include "execution/execution.hpp"
#include "harness/report/answers/explained.hpp"
#include "harness/report/junit.hpp"
#include "harness/report/text/executed.hpp"
#include "harness/report/text/printable.hpp"
#include "harness/report/text/sequence_diagram.hpp"
#include "harness/report/trace.hpp"
#include "harness/scenario/file/parse.hpp"
#include "real/os/sigpipe.hpp"

namespace lockproof::cli {
namespace {

using execution::execute;
using execution::Execution;
using execution::WorldKind;

void print_run(const Execution& run, bool with_trace, const harness::Style& style) {
  const harness::RunReport& report = run.report;
  print_text(style, fmt::format("{}\n{}, {}, seed {}, {} events\n\n",
                                style.strong(harness::heading(report.title, report.scenario)), report.algorithm,
                                report.world, report.seed, report.events));
  if (with_trace && !run.history.events.empty()) fmt::print("{}\n", trace(run.history, style));
  print_text(style, verdict_text(report, style));
}

Execution run_there(const Arguments& arguments, const harness::Scenario& scenario, std::uint64_t seed) {
  const real::SigpipeGuard guard;
  const ExternalRun external = prepare_external_run(arguments, scenario);
  Execution run = execute(external.scenario, WorldKind::real, seed, {.external = external.servers});
  judge_circumstances(external, run.history, run.report);
  run.report.happened = harness::first_sentence(run.history, run.report.properties);
  run.report.reproduce += external_words(arguments);
  return run;
}

}  // namespace

int run_command(const Arguments& arguments) {
  harness::Scenario scenario = scenario_of(arguments);
  if (!arguments.known_key.empty() && scenario.program)
    scenario.program->known_key = harness::key_from_text(arguments.known_key);
  const WorldKind world = arguments.verb == "run" ? WorldKind::simulated : WorldKind::real;
  const std::uint64_t seed = arguments.seed.value_or(scenario.seed);
  const bool prints_trace = !arguments.quiet;
  std::optional<ProgressLine> line;
  if (world == WorldKind::simulated) {
    line.emplace("running");
  } else {
    const Duration most = execution::real_time_most(scenario);
    if (prints_trace && arguments.redis.empty() && !arguments.traced) {
      print_note(fmt::format("real servers: at most {}, also on a busy machine\n",
                             rough_time(static_cast<double>(most.count()) / 1e6)));
    }
    line.emplace("running on real servers", most);
  }
  Execution run = arguments.redis.empty()
                      ? execute(scenario, world, seed, {.programs = arguments.programs, .traced = arguments.traced})
                      : run_there(arguments, scenario, seed);
  line.reset();
  run.report.reproduce += algorithm_words(arguments) + program_words(arguments);
  if (arguments.traced) run.report.reproduce += " --server traced";
  run.report.programs = harness::executed_of(scenario);
  if (!arguments.out.empty()) save_run(arguments.out, run);
  if (!arguments.junit.empty()) save_file(arguments.junit, harness::junit({run.report}));
  if (arguments.format == "json") {
    fmt::print("{}", verdict_json(run.report));
  } else if (arguments.format == "mermaid") {
    fmt::print("{}", sequence_diagram(run.history, run.report.properties, run.report.reproduce));
  } else {
    const harness::Style style = style_of_stdout();
    print_run(run, prints_trace, style);
    if (run.report.programs) print_text(style, executed_text(*run.report.programs));
    if (!arguments.out.empty() && unwritten().empty()) {
      print_text(style, fmt::format("written: {}/history.jsonl, verdict.json, trace.txt\n", arguments.out));
    }
    fmt::print("{}\n", style.command("reproduce: ", run.report.reproduce));
  }
  return check::exit_code_of(overall(run.report.properties));
}

}  // namespace lockproof::cli
