// SPDX-License-Identifier: Apache-2.0
// The strategy swarm. Groce, Zhang, Eide, Chen, Regehr: "Swarm Testing" (ISSTA 2012): each run leaves out some of the
// kinds of events, so that the others occur more often.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "search/fuzz/survey.hpp"
#include "sim/kernel/chooser.hpp"

namespace lockproof::sim {

/// The parameters of a run. The chooser uses the budget.
struct Means {
  std::optional<harness::Bounds> some{};  // part of the budget
  std::unique_ptr<Chooser> chooser{};
};

/// Includes each kind of fault with probability one half; the rest of the run's draws are its habits. `budget` may be
/// null.
[[nodiscard]] Means swarm(const harness::Scenario& scenario, const harness::Bounds* budget, const Survey& survey,
                          std::uint64_t seed);

}  // namespace lockproof::sim
