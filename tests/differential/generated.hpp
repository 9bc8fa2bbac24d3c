// SPDX-License-Identifier: Apache-2.0
// Generated scenarios: locks, servers, leases, works and faults, drawn from a number and from nothing else. Faults lie
// at events that happen in a run without them, and at instants.
#pragma once

#include <cstdint>

#include "harness/scenario/scenario.hpp"

namespace lockproof::tests {

/// The scenario of this number. It has between one fault and three, and its bounds are set, so that everything is
/// judged.
[[nodiscard]] harness::Scenario generated(std::uint64_t number);

}  // namespace lockproof::tests
