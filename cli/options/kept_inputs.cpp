// SPDX-License-Identifier: Apache-2.0
#include "cli/options/kept_inputs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cli/output/output_file.hpp"
#include "harness/input_error.hpp"

namespace lockproof::cli {
namespace {

namespace fs = std::filesystem;

bool is_file(const std::string& path) {
  std::error_code failed;
  return !path.empty() && fs::is_regular_file(path, failed);
}

/// A baseline is none: it is read before anything is written, and the same file may have the new results.
std::vector<std::string> inputs_of(const Arguments& arguments) {
  std::vector<std::string> files;
  if (arguments.verb != "new") files = arguments.paths;
  files.insert(files.end(), {arguments.budget, arguments.algorithm, arguments.other});
  std::erase_if(files, [](const std::string& file) { return !is_file(file); });
  return files;
}

}  // namespace

void keep_inputs(const Arguments& arguments) {
  const std::vector<std::string> inputs = inputs_of(arguments);
  const bool writes_scenario = arguments.verb == "minimize" && arguments.out.ends_with(".toml");
  const std::pair<const char*, std::string> outputs[] = {{"--junit", arguments.junit},
                                                         {"the graph", arguments.redirect},
                                                         {"--checkpoint", arguments.checkpoint},
                                                         {"--out", writes_scenario ? arguments.out : ""}};
  for (const auto& [option, file] : outputs) {
    if (!is_file(file)) continue;
    std::error_code failed;
    for (const std::string& input : inputs) {
      if (!fs::equivalent(file, input, failed)) continue;
      throw harness::InputError(option, 0, fmt::format("{} is what this command reads; give another name", file));
    }
    if (!OutputFile::may_replace(file)) {
      throw harness::InputError(option, 0,
                                fmt::format("{} is there, and lockproof did not write it; give another name", file));
    }
  }
  for (const std::string& input : inputs) OutputFile::keep(input);
}

}  // namespace lockproof::cli
