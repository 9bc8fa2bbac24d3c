// SPDX-License-Identifier: Apache-2.0
// The re-execution engine: a search over all schedules that keeps only a world's encoding. To continue from a state it
// runs the schedule that led there again, from the start. It is slow and simple, and the other engine is compared with
// it.
#pragma once

#include "search/core/exploration.hpp"

namespace lockproof::sim {

/// The scenario must be bounded. `budget`: the faults that may strike besides those of the scenario.
[[nodiscard]] Exploration explore_by_reexecution(const harness::Scenario& scenario, const harness::Bounds& budget,
                                                 const Limits& limits);

}  // namespace lockproof::sim
