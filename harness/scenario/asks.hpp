// SPDX-License-Identifier: Apache-2.0
// Asks: the attempts of a client whose instants a scenario writes down, as [[step]] entries "client-1 asks #2" with
// `at`.
#pragma once

#include <cstddef>

#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// The plan of the client with this number, with the instants of its attempts that the scenario fixes.
[[nodiscard]] Plan plan_of(const Scenario& scenario, std::size_t client);

}  // namespace lockproof::harness
