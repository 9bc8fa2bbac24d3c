// SPDX-License-Identifier: Apache-2.0
// plan: makes tasks of a command, for many machines.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/commands.hpp"
#include "cli/commands/frontier_inputs.hpp"
#include "cli/options/scenario_files.hpp"
#include "cli/output/checkpoint_file.hpp"
#include "execution/review/read_review.hpp"
#include "execution/sweep.hpp"
#include "harness/cannot_judge.hpp"
#include "harness/input_error.hpp"
#include "harness/report/tasks/work_task.hpp"
#include "harness/report/text/digest.hpp"

namespace lockproof::cli {
namespace {

using harness::CommandWords;
using harness::InputError;

struct Plan {
  std::vector<CommandWords> parts;
  std::map<std::string, std::string> inputs{};
};

void add_input(Plan& plan, const std::string& path) {
  if (path.empty() || !std::filesystem::is_regular_file(path)) return;
  plan.inputs.emplace(path, harness::digest(text_of(path)));
}

/// Its own file, its lock's, and those that its program's command names.
void add_inputs(Plan& plan, const harness::Scenario& scenario) {
  add_input(plan, written_in(scenario).file);
  if (scenario.algorithm.is_file()) add_input(plan, std::string(scenario.algorithm->file));
  if (!scenario.program) return;
  for (const std::string& word : scenario.program->command) add_input(plan, word);
}

/// The command without its paths.
CommandWords options_of(const Arguments& command, const CommandWords& words) {
  CommandWords options(words.begin() + 1, words.end());
  for (const std::string& path : command.paths) {
    const auto there = std::ranges::find(options, path);
    if (there != options.end()) options.erase(there);
  }
  return options;
}

CommandWords joined(CommandWords words, const CommandWords& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Runs 1, 101, 201 … of all, and so on.
Plan plan_runs(const Arguments& command, const CommandWords& words, std::uint64_t most) {
  if (!command.runs) throw InputError("plan run", 0, "one run is one task; add --runs N for many");
  if (command.strategy == "auto") throw InputError("--strategy", 0, "auto looks at the space first; name a strategy");
  if (!command.find.empty() || !command.shard.empty()) {
    throw InputError(command.find.empty() ? "--shard" : "--find", 0,
                     "tasks do not know what the others find; leave it out");
  }
  const std::uint64_t count = std::min(most, *command.runs);
  Plan plan;
  for (std::uint64_t part = 1; part <= count; ++part)
    plan.parts.push_back(joined(words, {"--shard", fmt::format("{}/{}", part, count)}));
  add_inputs(plan, scenario_of(command));
  add_input(plan, command.budget);
  return plan;
}

/// Each scenario, with its searches.
Plan plan_check(const Arguments& command, const CommandWords& words) {
  if (!command.baseline.empty()) throw InputError("--baseline", 0, "compare the results of lockproof join with it");
  Plan plan;
  const LoadedScenarios loaded = load_scenarios(command.paths);
  if (!loaded.unreadable.empty()) throw InputError(loaded.unreadable.front().why);
  if (!loaded.open.empty()) throw harness::CannotJudge("servers", loaded.open.front().why);
  for (const harness::Scenario& scenario : loaded.scenarios) {
    plan.parts.push_back(joined({"check", scenario.called}, options_of(command, words)));
    add_inputs(plan, scenario);
  }
  return plan;
}

/// All sets of so many numbers from 1 to `count`, as "1,3".
std::vector<std::string> choices_of(std::size_t count, std::size_t size) {
  std::vector<std::string> all;
  std::vector<std::size_t> chosen(size);
  for (std::size_t i = 0; i < size; ++i) chosen[i] = i + 1;
  while (true) {
    all.push_back(fmt::format("{}", fmt::join(chosen, ",")));
    std::size_t last = size;
    while (last > 0 && chosen[last - 1] == count - size + last) --last;
    if (last == 0) return all;
    ++chosen[last - 1];
    for (std::size_t i = last; i < size; ++i) chosen[i] = chosen[i - 1] + 1;
  }
}

std::vector<std::string> names_of_catalogue() {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : catalogue()) names.emplace_back(algorithm.name);
  return names;
}

/// Of each search each set of as many entries as there may be faults.
Plan plan_frontier(const Arguments& command, const CommandWords& words) {
  const CommandWords options = options_of(command, words);
  Plan plan;
  Arguments one = command;
  const std::vector<std::string> subjects = command.paths.empty() ? names_of_catalogue() : command.paths;
  for (const std::string& subject : subjects) {
    one.paths = {subject};
    add_input(plan, subject);
    const std::vector<execution::FrontierQuestion> searches = frontier_questions_of(one);
    for (std::size_t number = 0; number < searches.size(); ++number) {
      const execution::FrontierQuestion& search = searches[number];
      const auto most = static_cast<std::size_t>(std::max(1, search.bounds.max_faults));
      const std::size_t count = search.bounds.budget.size();
      CommandWords part = joined({"frontier", subject, "--topology", std::to_string(number + 1)}, options);
      if (!command.max_faults) part = joined(part, {"--max-faults", std::to_string(search.bounds.max_faults)});
      for (const std::string& entries : choices_of(count, std::min(count, most)))
        plan.parts.push_back(joined(part, {"--entries", entries}));
      if (std::filesystem::exists(subject)) add_inputs(plan, search.scenario);
    }
  }
  add_input(plan, command.budget);
  return plan;
}

/// Each review. Its stages follow from each other, so it is one task; how far it comes is no matter of a machine's
/// speed.
Plan plan_reviews(const Arguments& command, const CommandWords& words) {
  constexpr const char* enough = "10min";
  CommandWords options = options_of(command, words);
  if (command.time.empty()) options = joined(options, {"--time", enough});
  Plan plan;
  for (const std::string& path : command.paths) {
    const execution::Review review = execution::load_review(path);
    plan.parts.push_back(joined({"review", path}, options));
    add_input(plan, path);
    for (const harness::AlgorithmRef& lock : review.locks)
      if (lock.is_file()) add_input(plan, std::string(lock->file));
  }
  return plan;
}

/// Each kind of fault, with its own runs without faults.
Plan plan_sweep(const Arguments& command, const CommandWords& words) {
  if (command.max_faults.value_or(1) > 1)
    throw InputError("--max-faults", 0, "a pair needs what single faults found; sweep them on one machine");
  const harness::Scenario scenario = scenario_of(command);
  const std::vector<std::string> kinds = command.faults.empty() ? execution::sweep_kinds(scenario) : command.faults;
  Plan plan;
  CommandWords without = words;
  for (auto at = without.begin(); at != without.end();) {
    const bool is_option = *at == "--faults";
    const auto end = is_option && at + 1 != without.end() ? at + 2 : at + 1;
    at = is_option || at->starts_with("--faults=") ? without.erase(at, end) : at + 1;
  }
  for (const std::string& kind : kinds) plan.parts.push_back(joined(without, {"--faults", kind}));
  add_inputs(plan, scenario);
  return plan;
}

void refuse_output(const Arguments& command) {
  const char* option = !command.out.empty()       ? "--out"
                       : command.format != "text" ? "--format"
                       : !command.junit.empty()   ? "--junit"
                                                  : nullptr;
  if (option) throw InputError(option, 0, "it is for lockproof join, which writes what comes of all");
  if (command.workers > 0) throw InputError("--workers", 0, "it is for lockproof work; a task uses one core");
}

}  // namespace

int plan_command(const Arguments& arguments) {
  const CommandWords& words = arguments.planned;
  if (words.empty()) {
    throw InputError("plan", 0, "name the command to split, as in: lockproof plan frontier redlock --max-faults 2");
  }
  const Arguments command = parse_words(joined({"lockproof"}, words));
  if (command.exit >= 0) return command.exit;
  refuse_output(command);
  Plan plan;
  if (command.verb == "run") {
    plan = plan_runs(command, words, arguments.tasks);
  } else if (command.verb == "check") {
    plan = plan_check(command, words);
  } else if (command.verb == "frontier") {
    plan = plan_frontier(command, words);
  } else if (command.verb == "review") {
    plan = plan_reviews(command, words);
  } else if (command.verb == "sweep") {
    plan = plan_sweep(command, words);
  } else {
    throw InputError("plan " + command.verb, 0,
                     "it cannot be split; run --runs, check, frontier, review and sweep can");
  }
  for (CommandWords& part : plan.parts) part = joined(part, {"--workers", "1", "--format", "json"});
  for (const harness::WorkTask& task : harness::tasks_of(words, plan.parts, plan.inputs, build_of_lockproof()))
    fmt::print("{}", task_line(task));
  return check::exit_code::met;
}

}  // namespace lockproof::cli
