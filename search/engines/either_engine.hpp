// SPDX-License-Identifier: Apache-2.0
// A search with the engine that fits: the stateful one where it can, and from a state on that it cannot represent the
// re-execution engine, within the same bounds.
#pragma once

#include <functional>
#include <string>

#include "search/core/exploration.hpp"

namespace lockproof::sim {

struct EitherExploration {
  Exploration found;
  std::string why_reexecution;  // what the stateful engine cannot search; empty: it searched all
};

/// As explore_stateful. What that engine has found until it could not go on is part of the result. `changes` is called
/// before the other one begins, with the reason. REQUIRES: limits.resume is null.
[[nodiscard]] EitherExploration explore_with_either(const harness::Scenario& scenario, const harness::Bounds& budget,
                                                    const Limits& limits,
                                                    const std::function<void(const std::string& why)>& changes = {});

}  // namespace lockproof::sim
