// SPDX-License-Identifier: Apache-2.0
// FuzzOptions: what `run --runs` was asked, checked, and the space that it is about.
#pragma once

#include <optional>
#include <string>

#include "cli/options/arguments.hpp"
#include "search/fuzz/fuzz.hpp"

namespace lockproof::cli {

struct FuzzOptions {
  harness::Scenario scenario;             // as written
  harness::Scenario fuzzed;               // within the bounds
  std::optional<harness::Bounds> bounds;  // --budget, or [explore] where a strategy is named; else the scenario alone
  std::string budget;                     // where they come from: the file, "[explore]"; empty: none
  bool another_lock = false;              // than the one that the scenario names
  bool alone = false;                     // the scenario's own faults and steps are left out
  bool automatic = false;                 // it is to be decided whether to fuzz at all
  sim::FuzzOrder order;                   // its budget points into this
  std::optional<Duration> time;

  FuzzOptions() = default;
  FuzzOptions(const FuzzOptions&) = delete;
  FuzzOptions& operator=(const FuzzOptions&) = delete;
};

/// Reads the files. Throws harness::InputError for a bad combination, with what would be a good one.
void read_options(const Arguments& arguments, FuzzOptions& into);

/// Whether the command line asks for many runs, or for something that only many runs have. Throws InputError for the
/// latter without the former.
[[nodiscard]] bool asks_for_many(const Arguments& arguments);

/// The command without what says which runs: "lockproof run FILE --strategy swarm --budget FILE".
[[nodiscard]] std::string command_of(const Arguments& arguments, const FuzzOptions& options);

}  // namespace lockproof::cli
