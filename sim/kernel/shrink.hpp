// SPDX-License-Identifier: Apache-2.0
// Shrink: plain algorithms that look for a smaller input that still breaks. They call `breaks` as seldom as possible
// and assume nothing about it, in particular not that it is monotonic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace lockproof::sim {

using Subset = std::vector<std::size_t>;  // positions, ascending

/// The subsets of 0 … count-1 with `size` members, in the order of their members.
[[nodiscard]] std::vector<Subset> subsets(std::size_t count, std::size_t size);

/// A subset of 0 … count-1 that breaks, and no longer breaks if any one member is left out (Zeller and Hildebrandt:
/// Simplifying and Isolating Failure-Inducing Input, 2002). REQUIRES: the whole set breaks.
[[nodiscard]] Subset ddmin(std::size_t count, const std::function<bool(const Subset&)>& breaks);

/// A small value from `least` to `most`, which is known to break: the smallest of some samples that breaks, and from
/// there down to where the value before it does not. Whether a smaller value between two samples breaks is not known.
[[nodiscard]] std::int64_t least_that(std::int64_t least, std::int64_t most,
                                      const std::function<bool(std::int64_t)>& breaks);

}  // namespace lockproof::sim
