// SPDX-License-Identifier: Apache-2.0
// The options of new.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/options/arguments.hpp"

namespace lockproof::cli {

void add_new(CLI::App& sub, Arguments& arguments);

}  // namespace lockproof::cli
