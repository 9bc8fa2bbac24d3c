// SPDX-License-Identifier: Apache-2.0
// The options of list.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "cli/options/arguments.hpp"

namespace lockproof::cli {

void add_list(CLI::App& sub, Arguments& arguments);
/// Why `list` has not what is asked of it; empty: it has.
[[nodiscard]] std::string not_listed(const Arguments& arguments);

}  // namespace lockproof::cli
