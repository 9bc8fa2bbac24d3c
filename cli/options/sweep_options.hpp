// SPDX-License-Identifier: Apache-2.0
// The options of `real --sweep`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/options/arguments.hpp"

namespace lockproof::cli {

/// After those of --trace and --soak, with which it shares --repeat and --jobs.
void add_sweep(CLI::App& sub, Arguments& arguments);

/// What is wrong with an option that needs one of several others; empty: nothing.
[[nodiscard]] std::string why_not_alone(const Arguments& arguments);

}  // namespace lockproof::cli
