// SPDX-License-Identifier: Apache-2.0
#include "cli/output/scenario_output.hpp"

#include <filesystem>
#include <string>

#include "cli/output/output.hpp"
#include "harness/scenario/file/write.hpp"
#include "search/search.hpp"

namespace lockproof::cli {

bool save_scenario(const std::string& path, const harness::Scenario& scenario) {
  std::string text = harness::to_toml(scenario, std::filesystem::path(path).parent_path().string());
  const bool expects_less = scenario.program && scenario.expect.run && !scenario.expect.real;
  if (const std::string why = sim::why_only_simulated(scenario); expects_less && !why.empty())
    text += "# No [expect.real]: " + why + ".\n";
  return save_file(path, text);
}

}  // namespace lockproof::cli
