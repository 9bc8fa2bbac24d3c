// SPDX-License-Identifier: Apache-2.0
// explore --not-in: a schedule that breaks one lock and, with the same faults at the same events, not another one.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/commands/compare_inputs.hpp"
#include "cli/commands/explore_watch.hpp"
#include "cli/options/limits.hpp"
#include "cli/output/output.hpp"
#include "execution/compare/not_in.hpp"
#include "harness/check/expectation.hpp"
#include "harness/report/text/shell_word.hpp"

namespace lockproof::cli {
namespace {

void save(const std::string& folder, harness::NotInReport& report) {
  if (const harness::NotInCause* found = report.found()) {
    report.file_of_a = folder + "/a.toml";
    report.file_of_b = folder + "/b.toml";
    save_file(report.file_of_a, found->scenario_of_a);
    save_file(report.file_of_b, found->scenario_of_b);
  }
  save_file(folder + "/not-in.json", not_in_json(report));
}

}  // namespace

int not_in_command(const Arguments& arguments) {
  const std::string time = arguments.time.empty() ? "2min" : arguments.time;
  ExploreWatch watch(time_from(time), bytes_from(arguments.memory));
  execution::NotInOrder order{.limits = watch.limits(1)};
  order.limits.work = arguments.compared_states;
  order.limits.go_on = nullptr;  // it would show the progress of one search among several
  order.workers = workers_of(arguments);
  order.folder = arguments.out;
  order.tell = [&](std::uint64_t done, std::uint64_t all) { watch.line().show(done, all, "searches"); };
  const std::string &a = arguments.paths.front(), &b = arguments.other;
  harness::NotInReport report = execution::find_not_in(question_pairs_of(arguments, a, b, watch).front(), order);
  report.stopped = harness::stop_text(watch.stop(), {time, arguments.memory});
  report.reproduce = fmt::format("lockproof explore {} --not-in {}{}", harness::shell_word(a), harness::shell_word(b),
                                 arguments.budget.empty() ? "" : " --budget " + harness::shell_word(arguments.budget));
  watch.line().clear();
  if (!arguments.out.empty()) save(arguments.out, report);
  fmt::print("{}", arguments.format == "json" ? not_in_json(report) : not_in_text(report, style_of_stdout()));
  if (report.found()) return check::exit_code::failed;
  return report.is_whole() ? check::exit_code::met : check::exit_code::unknown;
}

}  // namespace lockproof::cli
