// SPDX-License-Identifier: Apache-2.0
// explore of a scenario that asks for its lease.
#pragma once

#include <functional>

#include "cli/options/arguments.hpp"
#include "search/search.hpp"

namespace lockproof::cli {

/// Whether the scenario is such a file.
[[nodiscard]] bool asks_for_lease(const Arguments& arguments);
/// Prints the leases for which each property holds. Returns the exit code. Throws InputError for options that have no
/// part in it.
int answer_lease(const Arguments& arguments,
                 const std::function<search::Question(const harness::Scenario& scenario)>& question_of);

}  // namespace lockproof::cli
