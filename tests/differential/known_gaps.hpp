// SPDX-License-Identifier: Apache-2.0
// Where the two worlds are known to differ, as docs/semantics/known-gaps.md says: what a generated scenario must
// not come to if it is to be compared.
#pragma once

#include <optional>
#include <string_view>

#include "harness/scenario/scenario.hpp"

namespace lockproof::tests {

/// The gap that the scenario comes to in a simulated run, in words.
[[nodiscard]] std::optional<std::string_view> known_gap(const harness::Scenario& scenario);

}  // namespace lockproof::tests
