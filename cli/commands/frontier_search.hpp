// SPDX-License-Identifier: Apache-2.0
// One of the searches of lockproof frontier: which sets of faults break one lock on certain servers.
#pragma once

#include "cli/commands/frontier_subjects.hpp"
#include "cli/options/arguments.hpp"
#include "harness/report/frontier.hpp"

namespace lockproof::cli {

struct SearchedWith {
  unsigned workers = 1;  // threads
  bool shows = true;     // how far it is, on a terminal
};

struct FrontierFound {
  harness::FrontierReport report;
  bool interrupted = false;  // by a signal
};

/// Searches within the limits of the arguments, and writes the scenarios of what it found to --out. Throws OutputError,
/// and harness::NotAFunction of a program.
[[nodiscard]] FrontierFound search_frontier(const Arguments& arguments, const FrontierSearch& search,
                                            const SearchedWith& with);

/// What its answer holds under, whatever comes of it.
[[nodiscard]] harness::Labels assumptions_of(const FrontierSearch& search);

/// Prints and writes what the arguments ask for, but for text. `all`: so many reports there should be. Answers the exit
/// code.
int write_frontiers(const Arguments& arguments, const std::vector<harness::FrontierReport>& reports, std::size_t all);

}  // namespace lockproof::cli
