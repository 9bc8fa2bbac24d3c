// SPDX-License-Identifier: Apache-2.0
#include "cli/options/scenario_files.hpp"

#include <algorithm>
#include <filesystem>

#include "harness/input_error.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_algorithm.hpp"
#include "harness/scenario/file/parse_twin.hpp"

namespace lockproof::cli {
namespace {

/// Bounds that scenarios share are no scenarios.
bool is_budget(const std::filesystem::path& file) { return file.parent_path().filename() == "budgets"; }

}  // namespace

std::vector<std::string> scenario_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    const std::size_t before = files.size();
    if (!std::filesystem::is_directory(path)) {
      files.push_back(path);
    } else {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
        const bool scenario = entry.path().extension() == ".toml" && !is_budget(entry.path());
        if (!scenario) continue;
        files.push_back(entry.path().lexically_normal().string());
        if (harness::has_twin(files.back())) files.push_back(harness::twin_file(files.back()));
      }
    }
    if (files.size() == before) throw harness::InputError(path, 0, "there is no scenario below this folder");
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
  }
  return files;
}

LoadedScenarios load_scenarios(const std::vector<std::string>& paths) {
  LoadedScenarios loaded;
  for (const std::string& file : scenario_files(paths)) {
    try {
      loaded.scenarios.push_back(harness::load_scenario(file));
    } catch (const harness::InputError& e) {
      loaded.unreadable.push_back({file, e.what()});
    }
  }
  return loaded;
}

harness::Scenario scenario_of(const Arguments& arguments) {
  return harness::load_scenario(arguments.paths.front(), harness::algorithm_from(arguments.algorithm));
}

std::string algorithm_words(const Arguments& arguments) {
  return arguments.algorithm.empty() ? "" : " --algorithm " + harness::shell_word(arguments.algorithm);
}

}  // namespace lockproof::cli
