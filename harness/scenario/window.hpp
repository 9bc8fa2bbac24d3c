// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "algorithms/port/instant.hpp"

namespace lockproof::harness {

/// A duration between two bounds, both included. Equal bounds leave nothing to choose.
struct Window {
  Duration least{}, most{};
  bool is_range = false;  // any whole microsecond between them, whatever the grid is
  /// The number of durations in it that a search tries: the least one, those at multiples of the grid above it, and the
  /// most. REQUIRES: grid > 0.
  [[nodiscard]] std::uint64_t options(Duration grid) const {
    return static_cast<std::uint64_t>((most - least + step(grid) - Duration(1)) / step(grid)) + 1;
  }
  /// The n-th of them, from 0 on.
  [[nodiscard]] Duration option(Duration grid, std::uint64_t n) const {
    return std::min(least + step(grid) * static_cast<std::int64_t>(n), most);
  }
  bool operator==(const Window&) const = default;

 private:
  [[nodiscard]] Duration step(Duration grid) const { return is_range ? Duration(1) : grid; }
};

}  // namespace lockproof::harness
