// SPDX-License-Identifier: Apache-2.0
// The form of a scenario in which the key of its program's lock is learned: harness/program/learned_key.hpp.
#pragma once

#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// Without faults and steps. Each client asks at once, for one round, and holds the lock for `hold`.
[[nodiscard]] Scenario learning_form(const Scenario& scenario, Duration hold, Duration horizon);

}  // namespace lockproof::harness
