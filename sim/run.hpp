// SPDX-License-Identifier: Apache-2.0
// The simulated world as a function: a scenario and a seed in, a history out. The scenario's [[step]] entries are
// followed; what they leave open is drawn from the seed.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

/// The same scenario, seed and options give the same history, byte for byte.
[[nodiscard]] harness::History run(const harness::Scenario& scenario, std::uint64_t seed, const Options& options = {});

/// The same, with another chooser than the plain random one for what the steps leave open.
[[nodiscard]] harness::History run(const harness::Scenario& scenario, Chooser& otherwise, const Options& options);

/// A recorded run: a scenario with these faults and steps runs to the same history without that chooser.
struct RunRecord {
  std::vector<harness::Fault> faults;  // the scenario's own, and behind them those of the budget that have struck
  std::vector<harness::Step> steps;
};
[[nodiscard]] RunRecord write_down(const harness::Scenario& scenario, Chooser& otherwise,
                                   const harness::Bounds* budget);

/// The choices of that run, as steps: a scenario with these steps runs to the same history without a seed.
[[nodiscard]] std::vector<harness::Step> schedule_of(const harness::Scenario& scenario, std::uint64_t seed);

}  // namespace lockproof::sim
