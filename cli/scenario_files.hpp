// SPDX-License-Identifier: Apache-2.0
// Which scenarios somebody means who names files and folders.
#pragma once

#include <string>
#include <vector>

namespace lockproof::cli {

/// All scenarios below the paths, in the order of their names; each once. Throws harness::InputError where there is
/// none.
[[nodiscard]] std::vector<std::string> scenario_files(const std::vector<std::string>& paths);

}  // namespace lockproof::cli
