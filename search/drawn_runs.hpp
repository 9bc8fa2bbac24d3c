// SPDX-License-Identifier: Apache-2.0
// Runs that a question draws within its bounds, before it is searched. What they show is a violation; what they do not
// show proves nothing.
#pragma once

#include <cstdint>
#include <map>

#include "search/search.hpp"

namespace lockproof::search {

struct DrawnRuns {
  std::uint64_t runs = 0;
  std::map<sim::ViolationKind, sim::ShortestViolation> violations;  // each with its run
};

/// `searched`: the question's scenario within its bounds. Properties that a search does not judge are left out.
[[nodiscard]] DrawnRuns draw_runs(const Question& question, const harness::Scenario& searched, const Limits& limits);

}  // namespace lockproof::search
