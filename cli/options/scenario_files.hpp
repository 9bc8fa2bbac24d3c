// SPDX-License-Identifier: Apache-2.0
// Finds the scenarios that files and folders on the command line name.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/arguments.hpp"
#include "harness/report/pull_request/file_line.hpp"
#include "harness/report/verdicts.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::cli {

/// The scenario's file: the path itself, or for a plain name that is no file here the scenario of the catalogue with
/// that name, as "lease-outlived" or "lease-outlived-twin". Throws harness::InputError where several have it, or none
/// has.
[[nodiscard]] std::string scenario_path(const std::string& path_or_name);

/// The folder of lockproof's own scenarios.
[[nodiscard]] std::string scenarios_folder();

/// The files of locks in Lua to begin with, by the name of the service, or of the one that they are a stand-in for.
[[nodiscard]] std::map<std::string, std::string> first_locks();

struct LoadedScenarios {
  std::vector<harness::Scenario> scenarios;
  std::vector<harness::UnreadableFile> unreadable;
  std::vector<harness::UnreadableFile> open;  // nothing is wrong with them, and they cannot be judged
};
/// Prints one hint if any has a word of the version before. One file that cannot be read does not keep the others from
/// it. Throws InputError where a folder has no scenario.
[[nodiscard]] LoadedScenarios load_scenarios(const std::vector<std::string>& paths);

/// Throws InputError.
[[nodiscard]] harness::Scenario scenario_from_file(const std::string& file,
                                                   const harness::AlgorithmRef& algorithm = {});

/// A line on stderr if the text of the file has a word of the version before.
void print_hint_on_old_words(const std::string& file, std::string_view text);

/// Where a scenario is written: a derived twin is in its scenario's file.
[[nodiscard]] harness::ScenarioSource written_in(const harness::Scenario& scenario);

/// Makes errors of the scenarios whose lock is a program of its own.
void leave_out_programs(LoadedScenarios& loaded, const std::string& why);

/// All scenarios below the paths, in the order of their names; each once. `bad`: what below them cannot be read. Throws
/// harness::InputError where there is none.
[[nodiscard]] std::vector<std::string> scenario_files(const std::vector<std::string>& paths,
                                                      std::vector<harness::UnreadableFile>& bad);

/// The first of the paths, with another lock if the arguments name one.
[[nodiscard]] harness::Scenario scenario_of(const Arguments& arguments);
/// Lets the scenario's program, which it has, run in the simulator; its key on servers is called as the lock.
void put_in_virtual_time(harness::Scenario& scenario, const Arguments& arguments);
/// Refuses a lock that is a program of its own. Throws harness::InputError.
[[noreturn]] void refuse_program(const harness::Scenario& scenario, const std::string& what);
/// " --algorithm NAME", or nothing: for a command that does the same again.
[[nodiscard]] std::string algorithm_words(const Arguments& arguments);

}  // namespace lockproof::cli
