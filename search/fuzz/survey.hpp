// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "harness/scenario/scenario.hpp"
#include "sim/world/model_factory.hpp"

namespace lockproof::sim {

/// The maxima over a few random runs without faults of the budget: the range in which faults and changes are placed.
struct Survey {
  std::uint64_t events = 1;                 // in a run
  std::uint64_t threads = 1;                // see Threads
  std::uint64_t occasions = 1;              // number of times the chooser is asked for a fault
  std::vector<std::uint64_t> occasions_of;  // for each entry of the budget, if it were alone
};
/// Throws Cancellation.
[[nodiscard]] Survey survey(const harness::Scenario& scenario, const harness::Bounds* budget, ModelFactory& models,
                            const std::stop_token& stop = {});

}  // namespace lockproof::sim
