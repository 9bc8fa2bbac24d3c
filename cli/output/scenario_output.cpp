// SPDX-License-Identifier: Apache-2.0
#include "cli/output/scenario_output.hpp"

#include <filesystem>

#include "cli/output/output.hpp"
#include "harness/scenario/file/write.hpp"

namespace lockproof::cli {

void write_scenario(const std::string& path, const harness::Scenario& scenario) {
  write_file(path, harness::to_toml(scenario, std::filesystem::path(path).parent_path().string()));
}

}  // namespace lockproof::cli
