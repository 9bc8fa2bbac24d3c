// SPDX-License-Identifier: Apache-2.0
// The options of check, and what its help says.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/options/arguments.hpp"

namespace lockproof::cli {

void add_check(CLI::App& sub, Arguments& arguments);

}  // namespace lockproof::cli
