// SPDX-License-Identifier: Apache-2.0
// The questions that a command line of frontier asks for.
#pragma once

#include <vector>

#include "cli/options/arguments.hpp"
#include "execution/frontier/frontier_questions.hpp"

namespace lockproof::cli {

/// Of each subject, in order; of all of the catalogue, if none is named. Throws harness::InputError.
[[nodiscard]] std::vector<execution::FrontierQuestion> frontier_questions_of(const Arguments& arguments);

/// Prints and writes what the arguments ask for, but for text. `all`: so many reports there should be. Answers the exit
/// code.
int write_frontiers(const Arguments& arguments, const std::vector<harness::FrontierReport>& reports, std::size_t all);

}  // namespace lockproof::cli
