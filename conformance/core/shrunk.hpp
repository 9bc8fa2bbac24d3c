// SPDX-License-Identifier: Apache-2.0
// Shrunk: a difference between the simulated server and the real one, in the fewest steps that still show it.
#pragma once

#include <cstddef>
#include <utility>

#include "sim/kernel/shrink.hpp"

namespace lockproof::conformance {

/// `replay` runs some of the difference's steps from the beginning, and returns the first difference, if there is one.
/// The difference as it was, if the fewest steps do not show it a second time.
template <class Difference, class Replay>
Difference shrunk(Difference difference, Replay replay) {
  const auto all = difference.steps;
  const auto some = [&](const sim::Subset& members) {
    auto steps = all;
    steps.clear();
    for (const std::size_t member : members) steps.push_back(all[member]);
    return steps;
  };
  const auto least =
      sim::ddmin(all.size(), [&](const sim::Subset& members) { return replay(some(members)).has_value(); });
  if (auto again = replay(some(least))) return *std::move(again);
  return difference;
}

}  // namespace lockproof::conformance
