// SPDX-License-Identifier: Apache-2.0
// Explore: every schedule of one scenario, within bounds, and what comes of it.
#pragma once

#include <functional>
#include <string>

#include "execution/explore/explore_report.hpp"

namespace lockproof::execution {

struct ExploreOrder {
  search::Question question;
  bool draws_graph = false;
  search::Limits limits;
  std::function<harness::StopReason()> why_stopped;  // which of the limits was met, if any
  std::function<double()> seconds;                   // since it began
  std::function<std::uint64_t()> held;               // bytes that the process has
  harness::GivenLimits given;
  std::string max_faults, reproduce, command, draws, checkpoint;  // as in ExploreReport
};

/// With a goal of all causes it has them, each with a witness. Throws sim::CheckpointError, harness::InputError, and
/// harness::NotAFunction of a program.
[[nodiscard]] ExploreReport explore(ExploreOrder order);

/// The engine that begins: "stateful" or "reexecution".
[[nodiscard]] std::string first_engine(const search::Question& question);

}  // namespace lockproof::execution
