// SPDX-License-Identifier: Apache-2.0
#include "cli/options/described.hpp"

#include <CLI/CLI.hpp>

#include "algorithms/catalogue.hpp"
#include "cli/options/shared_options.hpp"
#include "harness/scenario/names.hpp"
#include "sim/explore/fuzz/fuzz.hpp"

namespace lockproof::cli {
namespace {

/// "TEXT:{json,text}" lists them; of some options the catalogue does.
std::vector<std::string> values_of(const CLI::Option& option) {
  std::vector<std::string> values;
  const std::string type = option.get_type_name(), name = option.get_name();
  if (name == "--algorithm" || name == "ALGORITHM") {
    for (const Algorithm& algorithm : catalogue()) values.emplace_back(algorithm.name);
  } else if (name == "--engine") {
    values = {"auto", "stateful", "reexecution"};
  } else if (name == "--strategy") {
    values.emplace_back("auto");
    for (const sim::Strategy strategy : sim::strategies()) values.emplace_back(sim::name(strategy));
  } else if (const std::size_t open = type.find('{'); open != std::string::npos) {
    std::string one;
    for (const char c : type.substr(open + 1)) {
      if (c != ',' && c != '}') {
        one += c;
        continue;
      }
      values.push_back(one);
      one.clear();
      if (c == '}') break;
    }
  }
  return values;
}

DescribedOption described(const CLI::Option& option) {
  DescribedOption result;
  result.name = option.get_name();
  if (const std::size_t comma = result.name.find(','); comma != std::string::npos) result.name.erase(0, comma + 1);
  if (!option.get_snames().empty()) result.short_name = "-" + option.get_snames().front();
  result.meaning = option.get_description();
  result.standard = option.get_default_str();
  result.values = values_of(option);
  result.by_position = option.get_positional();
  result.required = option.get_required();
  result.takes_value = option.get_items_expected_max() > 0;
  result.many = option.get_expected_max() > 1;
  return result;
}

}  // namespace

std::vector<DescribedCommand> described(const CLI::App& app) {
  std::vector<DescribedCommand> commands;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
    DescribedCommand command{sub->get_name(), sub->get_description(), {}};
    for (const CLI::Option* option : sub->get_options()) {
      if (option->get_group() != hidden) command.options.push_back(described(*option));
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

}  // namespace lockproof::cli
