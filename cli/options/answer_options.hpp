// SPDX-License-Identifier: Apache-2.0
// The options of review and explain.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/options/arguments.hpp"

namespace lockproof::cli {

void add_explain(CLI::App& sub, Arguments& arguments);
void add_review(CLI::App& sub, Arguments& arguments);

}  // namespace lockproof::cli
