// SPDX-License-Identifier: Apache-2.0
// What is wrong with a command line, in one sentence, where CLI11 does not say it.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace lockproof::cli {

using CommandLine = std::vector<std::string>;  // "lockproof" first

/// The command of that name; null: there is none.
[[nodiscard]] const CLI::App* verb_of(const CLI::App& app, const std::string& name);
/// The names of the commands that the help lists.
[[nodiscard]] std::vector<std::string> names_of_commands(const CLI::App& app);

[[nodiscard]] std::optional<std::string> wrong_verb(const CLI::App& app, const CommandLine& words);
/// What the error means; CLI11's own words where they are clear.
[[nodiscard]] std::string complaint_of(const CLI::App& app, const CommandLine& words, const CLI::ParseError& error);

}  // namespace lockproof::cli
