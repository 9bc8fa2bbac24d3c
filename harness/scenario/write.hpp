// SPDX-License-Identifier: Apache-2.0
// Writes a scenario as a TOML file that parse.hpp reads back to the same.
#pragma once

#include <string>

#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// Only what differs from the defaults. The bounds of a search ([explore]) are left out.
[[nodiscard]] std::string to_toml(const Scenario& scenario);

}  // namespace lockproof::harness
