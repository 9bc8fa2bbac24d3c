// SPDX-License-Identifier: Apache-2.0
// Boundary: how a verdict changes with one amount of a scenario. Values on both sides of it are searched in every
// schedule, and between two that differ the edge is found by bisection, down to neighbours on the grid.
#pragma once

#include <string>

#include "execution/explain/explain.hpp"
#include "harness/report/answers/bounded.hpp"

namespace lockproof::execution {

/// `property`: empty for the worst that is violated, or mutual exclusion where nothing is. Throws InputError for a key
/// that the scenario does not have.
[[nodiscard]] harness::BoundaryReport boundary(const harness::Scenario& scenario, const std::string& key,
                                               const std::string& property, const ExplainOrder& order);

}  // namespace lockproof::execution
