// SPDX-License-Identifier: Apache-2.0
// The commands and their options as plain data, for pages that are made from them.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace lockproof::cli {

struct DescribedOption {
  std::string name;        // "--seed", or "FILE" where it is given by its position
  std::string short_name;  // "-o"; empty: it has none
  std::string meaning;
  std::string standard;             // what it is if it is not given; empty: the meaning says it
  std::vector<std::string> values;  // all that it may be; empty: anything
  bool by_position = false;
  bool required = false;
  bool takes_value = false;
  std::string value;  // what stands for it: "FILE", "N"
  bool many = false;  // may be given several times
};

struct DescribedCommand {
  std::string name, meaning;
  std::vector<DescribedOption> options;
};

/// So many values stand where the option does; more of them stand in its meaning.
inline constexpr std::size_t few_values = 6;
/// "--format text|json", "--seed N", "FILE..."
[[nodiscard]] std::string with_value(const DescribedOption& option);

[[nodiscard]] DescribedOption described(const CLI::Option& option);
/// The options that the help shows, in its order.
[[nodiscard]] std::vector<DescribedCommand> described(const CLI::App& app);

}  // namespace lockproof::cli
