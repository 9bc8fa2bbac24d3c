// SPDX-License-Identifier: Apache-2.0
// Options that several commands have: each means the same everywhere, and is defined here alone.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/options/arguments.hpp"

namespace lockproof::cli {

/// The group of options that the help leaves out. CLI11's own, without a name, would leave them out of complaints too.
inline constexpr const char* hidden = "hidden";

/// The forms of --format for whoever reviews a change.
inline constexpr const char* forms_for_review =
    "text for people, json for machines, markdown for the summary of a job, github: a line for each missed "
    "expectation, which GitHub shows where the scenario states it";

void add_scenario(CLI::App& sub, Arguments& arguments);
CLI::Option* add_out(CLI::App& sub, Arguments& arguments, const std::string& meaning);
CLI::Option* add_quiet(CLI::App& sub, Arguments& arguments);
void add_seed(CLI::App& sub, Arguments& arguments, const std::string& meaning);
void add_format(CLI::App& sub, Arguments& arguments, const std::string& meaning, const std::vector<std::string>& forms);
CLI::Option* add_junit(CLI::App& sub, Arguments& arguments);
CLI::Option* add_time(CLI::App& sub, Arguments& arguments, const std::string& meaning);
CLI::Option* add_memory(CLI::App& sub, Arguments& arguments, const std::string& meaning);
/// Of a search, or of random runs: threads. Hidden: how many processes of a program each of them keeps.
void add_workers(CLI::App& sub, Arguments& arguments);
/// Of runs: how many at the same time.
void add_jobs(CLI::App& sub, Arguments& arguments, const std::string& meaning);
/// --budget and --max-faults.
void add_budget(CLI::App& sub, Arguments& arguments, const std::string& meaning);
void add_another_lock(CLI::App& sub, Arguments& arguments);
void add_find(CLI::App& sub, Arguments& arguments, const std::string& meaning, const std::vector<std::string>& ways);
void add_states(CLI::App& sub, std::uint64_t& states, const std::string& meaning);

}  // namespace lockproof::cli
