// SPDX-License-Identifier: Apache-2.0
// BestLock: the lock of the catalogue that a review would rank first in a scenario's world.
#pragma once

#include "execution/review/reviewer.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::execution {

/// Of the scenario's service, for so many clients, that work, with the longest faults of the bounds. Throws
/// harness::InputError where no lock of the catalogue fits.
[[nodiscard]] harness::AlgorithmRef best_lock(const harness::Scenario& scenario, const harness::Bounds& bounds,
                                              const ReviewOrder& order);

}  // namespace lockproof::execution
