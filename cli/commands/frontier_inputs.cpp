// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/frontier_inputs.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/options/scenario_files.hpp"
#include "harness/input_error.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_algorithm.hpp"
#include "harness/scenario/file/parse_bounds.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::cli {
namespace {

using execution::FrontierQuestion;

FrontierQuestion of_file(const std::string& file, const Arguments& arguments) {
  harness::Scenario scenario = scenario_from_file(file);
  if (scenario.program) put_in_virtual_time(scenario, arguments);
  if (arguments.budget.empty() && !scenario.explore) {
    throw harness::InputError(file, 0, "has no [explore] with faults to choose from; give --budget FILE");
  }
  harness::Bounds bounds =
      arguments.budget.empty() ? *scenario.explore : harness::load_budget(arguments.budget, scenario);
  if (bounds.budget.empty()) throw harness::InputError(file, 0, "its [explore] has no [[explore.fault]]");
  if (arguments.max_faults) bounds.max_faults = *arguments.max_faults;
  return execution::frontier_question(file, std::move(scenario), bounds);
}

}  // namespace

std::vector<FrontierQuestion> frontier_questions_of(const Arguments& arguments) {
  std::vector<FrontierQuestion> all;
  const auto add = [&](const harness::AlgorithmRef& algorithm) {
    if (!arguments.budget.empty()) {
      throw harness::InputError("--budget", 0, "is for a scenario's file; an algorithm has a budget of its own");
    }
    for (FrontierQuestion& one : execution::frontier_questions(*algorithm, arguments.max_faults, arguments.out)) {
      all.push_back(std::move(one));
    }
  };
  for (const std::string& subject : arguments.paths) {
    if (const harness::AlgorithmRef algorithm = harness::algorithm_from(subject)) {
      add(algorithm);
    } else if (std::filesystem::exists(subject)) {
      all.push_back(of_file(subject, arguments));
    } else {
      std::vector<std::string> names;
      for (const Algorithm& known : catalogue()) names.emplace_back(known.name);
      throw harness::InputError(
          subject, 0, fmt::format("is neither an algorithm nor a file{}", harness::suggestion(subject, names)));
    }
  }
  if (arguments.paths.empty()) {
    for (const Algorithm& algorithm : catalogue()) add(&algorithm);
  }
  if (arguments.topology) {
    if (*arguments.topology < 1 || *arguments.topology > all.size())
      throw harness::InputError("--topology", 0, fmt::format("there are {} searches, from 1", all.size()));
    all = {all[*arguments.topology - 1]};
  }
  if (!arguments.entries.empty()) {
    for (FrontierQuestion& search : all) execution::choose_entries(search, arguments.entries);
  }
  return all;
}

}  // namespace lockproof::cli
