// SPDX-License-Identifier: Apache-2.0
// The options of check, and the forms in which verdicts are printed.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/options/arguments.hpp"

namespace lockproof::cli {

void add_check(CLI::App& sub, Arguments& arguments);
/// --format text or json, and --junit.
void add_outputs(CLI::App& sub, Arguments& arguments);
/// The same, and a sequence diagram.
void add_run_outputs(CLI::App& sub, Arguments& arguments);
void add_explore_outputs(CLI::App& sub, Arguments& arguments);
/// Text, json, and the forms for whoever reviews a change.
void add_review_outputs(CLI::App& sub, Arguments& arguments);

}  // namespace lockproof::cli
