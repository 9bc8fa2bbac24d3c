// SPDX-License-Identifier: Apache-2.0
// Writes a scenario as a TOML file that parse.hpp reads back to the same.
#pragma once

#include <string>

#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// Only what differs from the defaults, as a person would write it. Left out: the bounds of a search ([explore]), and
/// what no file can say (clocks' `mono`, seeds beyond 2^63). Hosts must be named as parse.hpp names them.
/// `folder`: where the file will be, since a lock of a person's own is found from there; empty: here.
[[nodiscard]] std::string to_toml(const Scenario& scenario, const std::string& folder = "");

}  // namespace lockproof::harness
