// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/commands/check_results.hpp"
#include "cli/options/limits.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress_line.hpp"
#include "execution/checks.hpp"
#include "harness/check/expectation.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/names.hpp"
#include "harness/stop_reason.hpp"

namespace lockproof::cli {
namespace {

using harness::RunReport;

/// Every schedule within the bounds of its [explore]. One thread each: there are as many searches at once as cores.
RunReport explored_of(const harness::Scenario& scenario, const execution::SearchShare& share) {
  Arguments one;
  one.verb = "explore";
  one.paths = {scenario.called};
  one.memory = text_of_bytes(share.memory);
  if (share.time) one.time = harness::to_text(*share.time);
  one.workers = 1;
  return explored(one);
}

/// Of what nobody can run here, there is nothing to compare.
RunReport open_report(const harness::UnreadableFile& one) {
  RunReport report;
  report.file = one.file;
  report.scenario = std::filesystem::path(one.file).stem().string();
  report.world = "simulated";
  report.properties = check::compare(check::all_unknown(one.why), harness::Expectations());
  report.reproduce = "lockproof run " + harness::shell_word(one.file);
  return report;
}

}  // namespace

int check_command(const Arguments& arguments) {
  execution::CheckOrder order;
  order.memory = bytes_from(arguments.memory);
  order.time = time_from(arguments.time);
  order.why_over = harness::stop_text(harness::StopReason::time, {arguments.time, arguments.memory});
  CheckResults results(arguments);
  LoadedScenarios loaded = load_scenarios(arguments.paths);  // all are read before the first runs
  if (!arguments.allow_clients) leave_out_programs(loaded, "which check starts with --allow-clients only");
  for (const harness::UnreadableFile& one : loaded.unreadable) results.add_unreadable(one);
  for (const harness::UnreadableFile& one : loaded.open) results.add(open_report(one));
  ProgressLine line("running");
  order.real = arguments.real;
  order.explores = arguments.explore;
  order.keeps_histories = !arguments.out.empty();
  order.seed = arguments.seed;
  order.workers = arguments.workers;
  order.programs = arguments.programs;
  order.put_in_virtual_time = [&](harness::Scenario& scenario) { put_in_virtual_time(scenario, arguments); };
  order.explore = explored_of;
  order.progress = [&](std::size_t done, std::size_t all) { line.show(done, all, "runs"); };
  order.before_report = [&] { line.clear(); };
  order.report = [&](RunReport report, const std::string& history) {
    if (!history.empty()) {
      const std::string folder = arguments.out + "/" + report.history;
      save_file(folder + "/history.jsonl", history);
      save_file(folder + "/verdict.json", verdict_json(report));
    }
    results.add(std::move(report));
  };
  order.wrong = [&](harness::UnreadableFile one) { results.add_unreadable(std::move(one)); };
  execution::check_all(loaded.scenarios, order);
  return results.finish(loaded.scenarios);
}

}  // namespace lockproof::cli
