// SPDX-License-Identifier: Apache-2.0
// The zone engine: a search over all schedules and all timings. Where the other engines try chosen instants, latencies
// and lengths of faults, this one keeps, for each state of clients and server, the set of all timings that lead there.
#pragma once

#include <string>

#include "search/core/exploration.hpp"
#include "search/zones/passed_list.hpp"
#include "search/zones/successors.hpp"

namespace lockproof::zones {

/// The reason, as a noun, for which this engine cannot search the scenario; empty: it can, as far as the lock's code
/// shows nothing that it cannot follow.
[[nodiscard]] std::string why_unsuited(const harness::Scenario& scenario, const harness::Bounds& bounds);

/// With clients that poll as the scenario says, but in every phase: each begins at any instant of a period behind its
/// start, or of its window. REQUIRES: it is suited.
[[nodiscard]] harness::Scenario in_any_phase(harness::Scenario scenario);

/// The scenario must be bounded, and suited. Each violation that is found is confirmed by a run.
[[nodiscard]] sim::Exploration explore_zones(const harness::Scenario& scenario, const harness::Bounds& bounds,
                                             const sim::Limits& limits);
/// The same, and all that was reached. REQUIRES: both are new; the successors are those of the scenario and the bounds.
[[nodiscard]] sim::Exploration explore_zones(const harness::Scenario& scenario, const harness::Bounds& bounds,
                                             const sim::Limits& limits, Successors& successors, PassedList& passed);

}  // namespace lockproof::zones
