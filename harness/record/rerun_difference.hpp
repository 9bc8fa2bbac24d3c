// SPDX-License-Identifier: Apache-2.0
// rerun_difference: runs one client of a recorded history again, alone, from its recorded inputs, and compares every
// output. The inputs of a process determine its outputs: if this finds a difference, an algorithm has a hidden input,
// or the record is incomplete.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// How the rerun process's surroundings differ from the recorded ones. No decision may depend on any of these
/// differences.
struct Transformation {
  milliseconds wall{};  // added to every wall clock, and to the instants in servers' values
  Duration mono{};      // added to this host's monotonic and boot-time clocks
  std::function<std::string(const std::string&)> token;  // other names for tokens; must keep them different
};

/// Nothing if the client did the same again; else the first difference, as a sentence. The history must have been
/// recorded with its inputs.
[[nodiscard]] std::optional<std::string> rerun_difference(const History& history, HostIndex client,
                                                          const Scenario& scenario,
                                                          const Transformation& transformation = {});

}  // namespace lockproof::harness
