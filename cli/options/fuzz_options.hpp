// SPDX-License-Identifier: Apache-2.0
// FuzzOptions: what `run --runs` was asked, checked, and the space that it is about.
#pragma once

#include <optional>
#include <string>

#include "cli/options/arguments.hpp"
#include "execution/fuzz/fuzz_space.hpp"

namespace lockproof::cli {

struct FuzzOptions : execution::FuzzSpace {  // its bounds: --budget, or [explore] where a strategy is named
  bool automatic = false;                    // it is to be decided whether to fuzz at all
  std::optional<Duration> time;
};

/// Reads the files. Throws harness::InputError for a bad combination, with what would be a good one.
void read_options(const Arguments& arguments, FuzzOptions& into);

/// Whether the command line asks for many runs, or for something that only many runs have. Throws InputError for the
/// latter without the former.
[[nodiscard]] bool asks_for_many(const Arguments& arguments);

/// The command without what says which runs: "lockproof run FILE --strategy swarm --budget FILE".
[[nodiscard]] std::string command_of(const Arguments& arguments, const FuzzOptions& options);

}  // namespace lockproof::cli
