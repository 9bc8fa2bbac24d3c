// SPDX-License-Identifier: Apache-2.0
// Asks: the attempts of a client whose instants a scenario writes down, as [[step]] entries "client-1 asks #2" with
// `at`.
#pragma once

#include <cstddef>

#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// What the client with this number is told to do, with its attempts whose instants are written down.
[[nodiscard]] Plan plan_of(const Scenario& scenario, std::size_t client);

}  // namespace lockproof::harness
