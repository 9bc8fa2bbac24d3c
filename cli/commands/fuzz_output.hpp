// SPDX-License-Identifier: Apache-2.0
// A fuzzing run, or several shards of one, as files and on a terminal.
#pragma once

#include "cli/options/arguments.hpp"
#include "harness/report/fuzzed.hpp"

namespace lockproof::cli {

/// Writes what --out, --junit and --format ask for. Answers the exit code.
int show(const harness::FuzzReport& report, const Arguments& arguments);

}  // namespace lockproof::cli
