// SPDX-License-Identifier: Apache-2.0
// compare: what breaks one of two locks, and not the other.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "cli/commands.hpp"
#include "cli/commands/explore_watch.hpp"
#include "cli/options/limits.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/output/output.hpp"
#include "execution/compare/best_lock.hpp"
#include "execution/compare/compare.hpp"
#include "execution/frontier/frontier_questions.hpp"
#include "harness/check/expectation.hpp"
#include "harness/input_error.hpp"
#include "harness/report/text/entry_text.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/file/parse_algorithm.hpp"

namespace lockproof::cli {
namespace {

using execution::CommonQuestion;
using execution::ComparedSide;

bool is_best(const std::string& word) { return word == "best" && !std::filesystem::exists(word); }

ComparedSide side_of(const std::string& word, const std::string& scenario, const harness::AlgorithmRef& lock,
                     const Arguments& arguments) {
  ComparedSide side{word, scenario_from_file(scenario, lock)};
  if (side.scenario.program) put_in_virtual_time(side.scenario, arguments);
  return side;
}

void choose_bounds(CommonQuestion& question, const Arguments& arguments) {
  if (arguments.budget.empty()) {
    execution::choose_bounds(question);
  } else {
    execution::choose_bounds(question, arguments.budget);
  }
}

/// The lock of the catalogue that does best what the first one does.
harness::AlgorithmRef best_for(const Arguments& arguments, const harness::AlgorithmRef& lock,
                               const execution::ReviewOrder& order) {
  if (lock) {
    const execution::FrontierQuestion usual = execution::frontier_questions(*lock, 1, "").front();
    return execution::best_lock(usual.scenario, usual.bounds, order);
  }
  const std::string& file = arguments.paths.front();
  CommonQuestion question{"", side_of(file, file, {}, arguments), side_of(file, file, {}, arguments), ""};
  choose_bounds(question, arguments);
  return execution::best_lock(question.a.scenario, question.a.bounds, order);
}

std::vector<CommonQuestion> questions_of(const Arguments& arguments, const execution::ReviewOrder& order) {
  const std::string &a = arguments.paths[0], &b = arguments.paths[1];
  const harness::AlgorithmRef lock_a = harness::algorithm_from(a);
  const bool is_ranked = is_best(b);
  const harness::AlgorithmRef lock_b = is_ranked ? best_for(arguments, lock_a, order) : harness::algorithm_from(b);
  const std::string called_b = is_ranked ? "best of the catalogue" : b;
  std::vector<CommonQuestion> questions;
  if (lock_a && lock_b) {
    if (!arguments.budget.empty())
      throw harness::InputError("--budget", 0, "is for a scenario's file; an algorithm has a budget of its own");
    questions = execution::common_questions(lock_a, lock_b);
    for (CommonQuestion& question : questions) question.b.called = called_b;
  } else {
    CommonQuestion question{"", side_of(a, lock_a ? b : a, lock_a, arguments),
                            side_of(called_b, lock_b ? a : b, lock_b, arguments), ""};
    choose_bounds(question, arguments);
    questions.push_back(std::move(question));
  }
  for (CommonQuestion& question : questions) {
    if (!arguments.max_faults) continue;
    question.a.bounds.max_faults = question.b.bounds.max_faults = *arguments.max_faults;
  }
  return questions;
}

void save_witness(const std::string& folder, const std::string& side, const harness::ComparedRow& row,
                  std::optional<harness::ComparedWitness>& shown) {
  if (!shown || shown->scenario.empty()) return;
  std::vector<std::string> words{row.breaks.front(), row.faults.empty() ? "no fault" : row.faults};
  if (!row.amounts.empty()) words.push_back(row.amounts.front());
  for (const std::string& more : {row.place, row.world}) {
    if (!more.empty()) words.push_back(more);
  }
  shown->file = fmt::format("{}/{}-{}.toml", folder, side, harness::in_a_name(words));
  if (!save_file(shown->file, shown->scenario)) shown->file.clear();
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
  std::string text = fmt::format("lockproof compare {} {}", harness::shell_word(arguments.paths[0]),
                                 harness::shell_word(arguments.paths[1]));
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
  ExploreWatch watch(time_from(arguments.time), bytes_from(arguments.memory));
  execution::CompareOrder order{.limits = watch.limits(1)};
  order.limits.work = arguments.review_states;
  order.limits.go_on = nullptr;  // it would show the progress of one search among several
  order.workers = arguments.workers ? arguments.workers : std::max(1U, std::thread::hardware_concurrency());
  if (!arguments.out.empty() || arguments.format == "json") order.folder = arguments.out;
  execution::ReviewOrder ranking{.workers = order.workers};
  ranking.limits.stop = ranking.limits.stop_telling = watch.guard().stop();
  ranking.tell = [&](std::uint64_t done, std::uint64_t all, const std::string& what) {
    watch.line().show(done, all, what);
  };
  order.tell = [&](std::uint64_t done, std::uint64_t all) { watch.line().show(done, all, "searches"); };
  harness::ComparedReport report = execution::compare(questions_of(arguments, ranking), order);
  report.seconds = watch.seconds();
  report.stopped = harness::stop_text(watch.stop(), {arguments.time, arguments.memory});
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
