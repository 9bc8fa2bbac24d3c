// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "harness/scenario/scenario.hpp"
#include "sim/world/model_factory.hpp"

namespace lockproof::sim {

/// What a few random runs without faults of the budget are like, at most: where to place faults and changes.
struct Survey {
  std::uint64_t events = 1;                 // of a run
  std::uint64_t threads = 1;                // see Threads
  std::uint64_t occasions = 1;              // at which the chooser is asked for a fault
  std::vector<std::uint64_t> occasions_of;  // for each entry of the budget, if it were alone
};
[[nodiscard]] Survey survey(const harness::Scenario& scenario, const harness::Bounds* budget, ModelFactory& models);

}  // namespace lockproof::sim
