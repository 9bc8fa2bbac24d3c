// SPDX-License-Identifier: Apache-2.0
// Scenarios that ask for which leases their properties hold: lease = "?" under [workload].
#pragma once

#include <string>
#include <string_view>

#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

inline constexpr std::string_view open_lease = "?";

/// What cannot be read asks for nothing.
[[nodiscard]] bool asks_for_lease(const std::string& file, std::string_view text);
/// As parse_scenario, with this lease in that place. What is said in leases is said in this one.
[[nodiscard]] Scenario parse_with_lease(const std::string& file, std::string_view text, const AlgorithmRef& algorithm,
                                        Duration lease);

}  // namespace lockproof::harness
