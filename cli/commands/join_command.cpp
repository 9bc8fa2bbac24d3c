// SPDX-License-Identifier: Apache-2.0
// join: what the answers to all tasks of a plan say together, as one machine would have said it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/commands.hpp"
#include "cli/commands/check_results.hpp"
#include "cli/commands/frontier_inputs.hpp"
#include "cli/commands/fuzz_output.hpp"
#include "cli/commands/review_output.hpp"
#include "cli/commands/sweep_output.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/output/checkpoint_file.hpp"
#include "cli/output/output.hpp"
#include "execution/fuzz/fuzz_report.hpp"
#include "execution/sweep.hpp"
#include "execution/tasks/merged_frontier.hpp"
#include "execution/tasks/merged_sweep.hpp"
#include "harness/check/expectation.hpp"
#include "harness/input_error.hpp"
#include "harness/report/merged.hpp"
#include "harness/report/tasks/work_task.hpp"

namespace lockproof::cli {
namespace {

using harness::AnswerSet;
using harness::CommandWords;
using harness::InputError;
using harness::WorkTask;

struct Answers {
  std::vector<WorkTask> tasks;
  AnswerSet set;
};

Answers read_answers(const std::vector<std::string>& paths) {
  const auto text = [](const std::string& path) {
    if (!std::filesystem::exists(path)) throw InputError(path, 0, "there is no such file");
    return text_of(path);
  };
  Answers answers{harness::tasks_from(paths.front(), text(paths.front())), {}};
  if (answers.tasks.empty()) throw InputError(paths.front(), 0, "there is no task; lockproof plan writes them");
  std::ranges::sort(answers.tasks, {}, &WorkTask::number);
  for (std::size_t i = 1; i < paths.size(); ++i) {
    if (!std::filesystem::is_directory(paths[i])) {
      answers.set.add(paths[i], text(paths[i]));
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(paths[i])) {
      if (entry.path().extension() == ".json" || entry.path().extension() == ".jsonl")
        answers.set.add(entry.path().string(), text_of(entry.path().string()));
    }
  }
  answers.set.refuse_others(answers.tasks);
  return answers;
}

/// One whole plan.
void refuse_part_of_plan(const std::string& file, const std::vector<WorkTask>& tasks) {
  const WorkTask& first = tasks.front();
  for (const WorkTask& task : tasks) {
    if (task.whole != first.whole || task.of != first.of) throw InputError(file, 0, "its tasks are of several plans");
  }
  if (tasks.size() != first.of)
    throw InputError(file, 0, fmt::format("it has {} of the {} tasks of its plan", tasks.size(), first.of));
}

void refuse_missing(const Answers& answers) {
  constexpr std::size_t shown = 10;
  std::vector<std::size_t> missing;
  for (const WorkTask& task : answers.tasks) {
    if (!answers.set.has(task)) missing.push_back(task.number);
  }
  if (missing.empty()) return;
  const std::size_t count = missing.size();
  missing.resize(std::min(count, shown));
  throw InputError(
      "join", 0,
      fmt::format("{} of {} tasks have no answer: {}{}; lockproof join --missing prints them, for lockproof work",
                  count, answers.tasks.size(), fmt::join(missing, ", "), count > shown ? ", …" : ""));
}

/// How much work it was, for whoever chooses a number of machines.
void print_work(const Answers& answers) {
  double sum = 0, longest = 0;
  for (const WorkTask& task : answers.tasks) {
    const double seconds = answers.set.of(task).seconds;
    sum += seconds;
    longest = std::max(longest, seconds);
  }
  print_note(fmt::format("{} tasks, {:.1f} s of work, the longest {:.1f} s\n", answers.tasks.size(), sum, longest));
}

/// The command that was planned, with what join is told.
Arguments command_of(const WorkTask& task, const Arguments& join) {
  CommandWords words{"lockproof"};
  words.insert(words.end(), task.whole.begin(), task.whole.end());
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--format", join.format);
  add("--out", join.out);
  add("--junit", join.junit);
  return parse_words(words);
}

int join_runs(const Answers& answers, const Arguments& command) {
  std::vector<harness::FuzzPart> parts;
  for (const WorkTask& task : answers.tasks)
    parts.push_back({fmt::format("task {}", task.number), harness::fuzzed_from_json(answers.set.of(task).document)});
  harness::FuzzReport whole = harness::merged(parts);
  std::optional<harness::Expectations> expected;
  for (const check::ComparedFinding& compared : parts.front().report.run.properties) {
    if (compared.met == check::Agreement::unstated) continue;
    if (!expected) expected.emplace();
    expected->emplace(compared.finding.property, compared.expected);
  }
  whole.run.reproduce = execution::reproduce_text(whole);
  execution::judge(whole, expected);
  return show(whole, command);
}

int join_checks(const Answers& answers, const Arguments& command) {
  const LoadedScenarios loaded = load_scenarios(command.paths);
  std::map<std::string, std::string> titles;
  for (const harness::Scenario& scenario : loaded.scenarios) titles.emplace(scenario.called, scenario.title);
  CheckResults results(command);
  for (const WorkTask& task : answers.tasks) {
    for (harness::RunReport& report : harness::reports_from_json(answers.set.of(task).document)) {
      report.title = titles[report.file];
      report.seconds = answers.set.of(task).seconds;
      results.add(std::move(report));
    }
  }
  return results.finish(loaded.scenarios);
}

Arguments words_of(const WorkTask& task) {
  CommandWords words{"lockproof"};
  words.insert(words.end(), task.command.begin(), task.command.end());
  return parse_words(words);
}

/// The amounts that a part assumes are those of its entries; they stand in what the whole assumes.
void drop_own_assumptions(harness::FrontierReport& part, const WorkTask& task) {
  const harness::Labels own = execution::assumptions_of(frontier_questions_of(words_of(task)).front());
  std::erase_if(part.assumptions, [&](const std::string& one) { return std::ranges::find(own, one) != own.end(); });
}

/// The searches of one lock on the same servers stand one after the other.
int join_frontiers(const Answers& answers, const Arguments& command) {
  std::vector<execution::FrontierQuestion> all = frontier_questions_of(command);
  std::vector<std::vector<harness::FrontierReport>> searches;
  for (const WorkTask& task : answers.tasks) {
    harness::FrontierReport part = harness::frontiers_from_json(answers.set.of(task).document).front();
    drop_own_assumptions(part, task);
    const bool is_next = searches.empty() || searches.back().front().reproduce != part.reproduce ||
                         searches.back().front().topology != part.topology;
    if (is_next) {
      harness::Labels whole = execution::assumptions_of(all.at(searches.size()));
      part.assumptions.insert(part.assumptions.begin(), whole.begin(), whole.end());
      searches.emplace_back();
    }
    searches.back().push_back(std::move(part));
  }
  const harness::Style style = style_of_stdout();
  std::vector<harness::FrontierReport> reports;
  for (const auto& parts : searches) {
    reports.push_back(execution::merged_frontier(parts));
    if (command.format == "text") print_text(style, frontier_text(reports.back(), style));
  }
  return write_frontiers(command, reports, reports.size());
}

/// The worst of their exit codes. Of several reviews, each has a folder of its own.
int join_reviews(const Answers& answers, const Arguments& command) {
  int worst = check::exit_code::met;
  for (const WorkTask& task : answers.tasks) {
    harness::ReviewReport report = harness::review_from_json(answers.set.of(task).document);
    if (!command.out.empty()) {
      report.out = answers.tasks.size() == 1 ? command.out
                                             : fmt::format("{}/{:02}-{}", command.out, task.number,
                                                           std::filesystem::path(report.file).stem().string());
    }
    print_review(command, report);
    worst = std::max(worst, report.exit_code);
  }
  return worst;
}

int join_sweeps(const Answers& answers, const Arguments& command) {
  std::vector<harness::SweptReport> parts;
  for (const WorkTask& task : answers.tasks) parts.push_back(harness::swept_from_json(answers.set.of(task).document));
  harness::SweptReport whole = execution::merged_sweep(std::move(parts));
  if (!command.out.empty()) {
    execution::write_findings(whole, scenario_of(command), command.out,
                              [](const std::string& file, const std::string& text) { save_file(file, text); });
  }
  return print_sweep(command, whole);
}

}  // namespace

int join_command(const Arguments& arguments) {
  const Answers answers = read_answers(arguments.paths);
  if (arguments.missing) {
    for (const WorkTask& task : answers.tasks) {
      if (!answers.set.has(task)) fmt::print("{}", task_line(task));
    }
    return check::exit_code::met;
  }
  refuse_part_of_plan(arguments.paths.front(), answers.tasks);
  refuse_missing(answers);
  const Arguments command = command_of(answers.tasks.front(), arguments);
  if (command.exit >= 0) return command.exit;
  print_work(answers);
  if (command.verb == "run") return join_runs(answers, command);
  if (command.verb == "check") return join_checks(answers, command);
  if (command.verb == "review") return join_reviews(answers, command);
  if (command.verb == "sweep") return join_sweeps(answers, command);
  return join_frontiers(answers, command);
}

}  // namespace lockproof::cli
