// SPDX-License-Identifier: Apache-2.0
// Scenarios that ask for which leases their properties hold: lease = "?" under [workload].
#pragma once

#include <string>
#include <string_view>

#include "harness/scenario/scenario.hpp"

namespace lockproof::execution {

/// What cannot be read asks for nothing.
[[nodiscard]] bool asks_for_lease(const std::string& file, std::string_view text);
/// As harness::parse_scenario, with this lease in that place: what is said in leases is said in this one. REQUIRES: it
/// asks.
[[nodiscard]] harness::Scenario parse_with_lease(const std::string& file, const std::string& text,
                                                 const harness::AlgorithmRef& algorithm, Duration lease);

}  // namespace lockproof::execution
