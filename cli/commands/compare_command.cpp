// SPDX-License-Identifier: Apache-2.0
// compare: what breaks one of two locks, and not the other.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/commands/compare_inputs.hpp"
#include "cli/commands/explore_watch.hpp"
#include "cli/options/limits.hpp"
#include "cli/output/output.hpp"
#include "execution/compare/compare.hpp"
#include "harness/check/expectation.hpp"
#include "harness/report/text/entry_text.hpp"
#include "harness/report/text/shell_word.hpp"

namespace lockproof::cli {
namespace {

void save_witness(const std::string& folder, const std::string& side, const harness::ComparedRow& row,
                  std::optional<harness::ComparedWitness>& witness) {
  if (!witness || witness->scenario.empty()) return;
  std::vector<std::string> words{row.breaks.front(), row.faults.empty() ? "no fault" : row.faults};
  if (!row.amounts.empty()) words.push_back(row.amounts.front());
  for (const std::string& more : {row.place, row.world}) {
    if (!more.empty()) words.push_back(more);
  }
  witness->file = fmt::format("{}/{}-{}.toml", folder, side, harness::in_a_name(words));
  if (!save_file(witness->file, witness->scenario)) witness->file.clear();
}

void save(const std::string& folder, harness::ComparedReport& report) {
  for (harness::ComparedRow& row : report.rows) {
    save_witness(folder, "a", row, row.a);
    save_witness(folder, "b", row, row.b);
  }
  save_file(folder + "/compared.json", compared_json(report));
  save_file(folder + "/compared.md", compared_markdown(report));
}

std::string reproduce_text(const Arguments& arguments) {
  std::string text = fmt::format("lockproof compare {} {}", harness::shell_word(arguments.paths.front()),
                                 harness::shell_word(arguments.other));
  if (!arguments.budget.empty()) text += " --budget " + harness::shell_word(arguments.budget);
  if (arguments.max_faults) text += fmt::format(" --max-faults {}", *arguments.max_faults);
  return text;
}

int exit_code_of(const harness::ComparedReport& report) {
  const auto no_worse = report.is_no_worse();
  if (!no_worse) return check::exit_code::unknown;
  return *no_worse ? check::exit_code::met : check::exit_code::failed;
}

}  // namespace

int compare_command(const Arguments& arguments) {
  const std::string time = arguments.time.empty() ? "2min" : arguments.time;
  ExploreWatch watch(time_from(time), bytes_from(arguments.memory));
  execution::CompareOrder order{.limits = watch.limits(1)};
  order.limits.work = arguments.compared_states;
  order.limits.go_on = nullptr;  // it would show the progress of one search among several
  order.workers = workers_of(arguments);
  if (!arguments.out.empty() || arguments.format == "json") order.folder = arguments.out;
  order.tell = [&](std::uint64_t done, std::uint64_t all) { watch.line().show(done, all, "searches"); };
  const auto questions = question_pairs_of(arguments, arguments.paths.front(), arguments.other, watch);
  harness::ComparedReport report = execution::compare(questions, order);
  report.seconds = watch.seconds();
  report.stopped = harness::stop_text(watch.stop(), {time, arguments.memory});
  report.reproduce = reproduce_text(arguments);
  watch.line().clear();
  if (!arguments.out.empty()) save(arguments.out, report);
  if (arguments.format == "json") {
    fmt::print("{}", compared_json(report));
  } else if (arguments.format == "markdown") {
    fmt::print("{}", compared_markdown(report));
  } else {
    fmt::print("{}", compared_text(report, style_of_stdout()));
  }
  return exit_code_of(report);
}

}  // namespace lockproof::cli
