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

FrontierSearch of_file(const std::string& file, const Arguments& arguments) {
  FrontierSearch search;
  search.subject = file;
  search.scenario = scenario_from_file(file);
  if (search.scenario.program) put_in_virtual_time(search.scenario, arguments);
  if (arguments.budget.empty() && !search.scenario.explore) {
    throw harness::InputError(file, 0, "has no [explore] with faults to choose from; give --budget FILE");
  }
  search.bounds =
      arguments.budget.empty() ? *search.scenario.explore : harness::load_budget(arguments.budget, search.scenario);
  if (search.bounds.budget.empty()) throw harness::InputError(file, 0, "its [explore] has no [[explore.fault]]");
  if (arguments.max_faults) search.bounds.max_faults = *arguments.max_faults;
  search.topology =
      fmt::format("{} server{}", search.scenario.servers.size(), search.scenario.servers.size() == 1 ? "" : "s");
  return search;
}

/// Takes those entries alone, counted from 1.
void choose_entries(FrontierSearch& search, const std::vector<std::size_t>& numbers) {
  std::vector<harness::BudgetedFault> budget;
  std::vector<std::string> entries;
  for (const std::size_t number : numbers) {
    const std::size_t count = search.bounds.budget.size();
    if (number < 1 || number > count) {
      throw harness::InputError("--entries", 0, fmt::format("there is no entry {}; the budget has {}", number, count));
    }
    budget.push_back(search.bounds.budget[number - 1]);
    if (!search.entries.empty()) entries.push_back(search.entries[number - 1]);
  }
  search.bounds.budget = std::move(budget);
  search.entries = std::move(entries);
}

}  // namespace

std::vector<FrontierSearch> frontier_searches_of(const Arguments& arguments) {
  std::vector<FrontierSearch> all;
  const auto add = [&](const harness::AlgorithmRef& algorithm) {
    if (!arguments.budget.empty()) {
      throw harness::InputError("--budget", 0, "is for a scenario's file; an algorithm has a budget of its own");
    }
    for (FrontierSearch& one : frontier_searches(*algorithm, arguments.max_faults, arguments.out)) {
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
    for (FrontierSearch& search : all) choose_entries(search, arguments.entries);
  }
  return all;
}

}  // namespace lockproof::cli
