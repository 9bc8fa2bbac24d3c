// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/options/arguments.hpp"
#include "harness/report/answers/reviewed.hpp"

namespace lockproof::cli {

/// Prints a review as the arguments ask for, and writes it into its folder `out`, if it has one.
void print_review(const Arguments& arguments, harness::ReviewReport& report);

}  // namespace lockproof::cli
