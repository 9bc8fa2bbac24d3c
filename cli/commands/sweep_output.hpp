// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options/arguments.hpp"
#include "harness/report/swept.hpp"

namespace lockproof::cli {

/// Prints a sweep and writes its files as the arguments ask for. Answers the exit code.
int print_sweep(const Arguments& arguments, harness::SweptReport& report);

}  // namespace lockproof::cli
