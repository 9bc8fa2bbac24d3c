// SPDX-License-Identifier: Apache-2.0
// The stateful engine: a search over all schedules in which a world is a tuple of small numbers. It has the same states
// and transitions as the re-execution engine, and is some hundred times faster; it cannot search every scenario.
#pragma once

#include "search/core/exploration.hpp"

namespace lockproof::sim {

/// The reason, as a noun, for which this engine cannot search the scenario; empty: it can.
[[nodiscard]] std::string stateful_engine_refuses(const harness::Scenario& scenario, const harness::Bounds& budget);

/// The scenario must be bounded. `budget`: the faults that may strike besides those of the scenario.
[[nodiscard]] Exploration explore_stateful(const harness::Scenario& scenario, const harness::Bounds& budget,
                                           const Limits& limits);

}  // namespace lockproof::sim
