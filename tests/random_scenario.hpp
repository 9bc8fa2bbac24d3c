// SPDX-License-Identifier: Apache-2.0
// Random scenarios: small ones with a budget of faults, drawn from a seed, for tests that compare two ways to search
// or to run. What nobody thought of is between things that were each tested alone: a fault of one host while another
// one's command is late, a window of latency and a clock that jumps, a second round after a time-out.
#pragma once

#include <cstdint>
#include <string>

#include "harness/scenario/scenario.hpp"

namespace lockproof::tests {

/// The same seed gives the same text, as long as the catalogue stays as it is. Any lock that needs no replica, two or
/// three clients that may differ in all that a [[client]] can say, up to two rounds, one server or three (with what
/// they keep and how they are set), time-outs, windows of latency, bounds of properties, and up to two kinds of faults,
/// of which up to two strike. The stateful engine can search it. Most spaces are small; who cannot bear a large one
/// stops.
[[nodiscard]] std::string random_scenario_text(std::uint64_t seed);
[[nodiscard]] harness::Scenario random_scenario(std::uint64_t seed);

}  // namespace lockproof::tests
