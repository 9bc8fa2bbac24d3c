// SPDX-License-Identifier: Apache-2.0
// The searches that a command line of frontier asks for.
#pragma once

#include <vector>

#include "cli/commands/frontier_subjects.hpp"
#include "cli/options/arguments.hpp"

namespace lockproof::cli {

/// Of each subject, in order; of all of the catalogue, if none is named. Throws harness::InputError.
[[nodiscard]] std::vector<FrontierSearch> frontier_searches_of(const Arguments& arguments);

}  // namespace lockproof::cli
