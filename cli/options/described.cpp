// SPDX-License-Identifier: Apache-2.0
#include "cli/options/described.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "algorithms/catalogue.hpp"
#include "cli/options/shared_options.hpp"
#include "execution/fuzz/fuzz_space.hpp"
#include "harness/scenario/names.hpp"

namespace lockproof::cli {
namespace {

/// "TEXT:{json,text}" lists them; of some options the catalogue does.
std::vector<std::string> values_of(const CLI::Option& option) {
  std::vector<std::string> values;
  const std::string type = option.get_type_name(), name = option.get_name();
  if (name == "--algorithm" || name == "ALGORITHM") {
    for (const Algorithm& algorithm : catalogue()) values.emplace_back(algorithm.name);
  } else if (name == "--engine") {
    values = {"auto", "stateful", "reexecution", "zones"};
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

/// "UINT:INT in [1 - 256]" is a number, "PATH" is what an option calls its value itself.
std::string value_of(const CLI::Option& option) {
  const std::string type = option.get_type_name(), kind = type.substr(0, type.find(':'));
  if (kind == "INT" || kind == "UINT" || kind == "FLOAT") return "N";
  return kind.empty() || kind == "TEXT" ? "VALUE" : kind;
}

}  // namespace

std::string with_value(const DescribedOption& option) {
  if (option.by_position) return option.many ? option.name + "..." : option.name;
  const std::string name = (option.short_name.empty() ? "" : option.short_name + ", ") + option.name;
  if (!option.takes_value) return name;
  const bool few = !option.values.empty() && option.values.size() <= few_values;
  return fmt::format("{} {}", name, few ? fmt::format("{}", fmt::join(option.values, "|")) : option.value);
}

DescribedOption described(const CLI::Option& option) {
  DescribedOption result;
  result.name = option.get_name();
  if (!option.get_snames().empty() && !option.get_lnames().empty()) result.short_name = "-" + option.get_snames()[0];
  if (!option.get_lnames().empty()) result.name = "--" + option.get_lnames()[0];
  result.meaning = option.get_description();
  result.standard = option.get_default_str();
  result.values = values_of(option);
  result.by_position = option.get_positional();
  result.required = option.get_required();
  result.takes_value = option.get_items_expected_max() > 0;
  result.many = option.get_expected_max() > 1;
  result.value = value_of(option);
  return result;
}

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
