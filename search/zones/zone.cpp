// SPDX-License-Identifier: Apache-2.0
#include "search/zones/zone.hpp"

#include <algorithm>
#include <functional>

namespace lockproof::zones {

/// One new bound changes only sums that pass through it, so the canonical form costs a square, not a cube.
bool Zone::require(Row x, Row y, Bound most) {
  if (bound(x, y) <= most) return true;
  if (bound(y, x) < none && bound(y, x) + most < 0) return false;
  if (x == y) return false;
  at(x, y) = most;
  for (Row i = 0; i < size_; ++i) {
    if (bound(i, x) >= none) continue;
    const Bound to_y = bound(i, x) + most;
    for (Row j = 0; j < size_; ++j) {
      if (bound(y, j) < none && to_y + bound(y, j) < bound(i, j)) at(i, j) = to_y + bound(y, j);
    }
  }
  return true;
}

Row Zone::add(Row after, Duration least, Duration most) {
  const auto added = static_cast<Row>(size_);
  Zone larger;
  larger.size_ = size_ + 1;
  larger.bounds_.assign(larger.size_ * larger.size_, none);
  for (Row i = 0; i < size_; ++i) {
    for (Row j = 0; j < size_; ++j) larger.at(i, j) = bound(i, j);
    if (bound(i, after) < none) larger.at(i, added) = bound(i, after) - least.count();
    if (bound(after, i) < none) larger.at(added, i) = bound(after, i) + most.count();
  }
  larger.at(added, added) = 0;
  *this = std::move(larger);
  return added;
}

void Zone::delay() {
  for (Row i = 1; i < size_; ++i) at(now_row, i) = none;
}

Zone Zone::projected(std::span<const Row> rows) const {
  Zone smaller;
  smaller.size_ = rows.size();
  smaller.bounds_.resize(rows.size() * rows.size());
  for (Row i = 0; i < rows.size(); ++i) {
    for (Row j = 0; j < rows.size(); ++j) smaller.at(i, j) = bound(rows[i], rows[j]);
  }
  return smaller;
}

bool Zone::includes(const Zone& other) const { return std::ranges::equal(other.bounds_, bounds_, std::less_equal{}); }

}  // namespace lockproof::zones
