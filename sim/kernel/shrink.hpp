// SPDX-License-Identifier: Apache-2.0
// Shrink: plain algorithms that look for less of something that still breaks. `breaks` is asked as seldom as can be;
// nothing is assumed of it, least of all that more breaks if less does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace lockproof::sim {

using Subset = std::vector<std::size_t>;  // positions, ascending

/// The subsets of 0 … count-1 with `size` members, in the order of their members.
[[nodiscard]] std::vector<Subset> subsets(std::size_t count, std::size_t size);

/// A subset of 0 … count-1 that breaks, and breaks no more if any one member is left out (Zeller and Hildebrandt:
/// Simplifying and Isolating Failure-Inducing Input, 2002). All of them together are known to break.
[[nodiscard]] Subset ddmin(std::size_t count, const std::function<bool(const Subset&)>& breaks);

/// A value from `least` to `most`, which is known to break: the smallest of some samples that breaks, and from there
/// down to where the value before it does not. Whether something smaller between two samples breaks is not known.
[[nodiscard]] std::int64_t least_that(std::int64_t least, std::int64_t most,
                                      const std::function<bool(std::int64_t)>& breaks);

}  // namespace lockproof::sim
