// SPDX-License-Identifier: Apache-2.0
// A scenario as a file of its own, wherever it is put: a lock in Lua is named as it is found from there.
#pragma once

#include <string>

#include "harness/scenario/scenario.hpp"

namespace lockproof::cli {

/// As save_file.
bool save_scenario(const std::string& path, const harness::Scenario& scenario);

}  // namespace lockproof::cli
