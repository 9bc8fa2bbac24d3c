// SPDX-License-Identifier: Apache-2.0
// Zone: a set of valuations of instants that is bounded by differences alone, as a difference-bound matrix in canonical
// form (Dill, "Timing assumptions and verification of finite-state concurrent systems", 1989). An instant is a row; row
// 0 is now. Time is whole microseconds, as in a run: "earlier" means one microsecond earlier, or more. Bounds are whole
// numbers, so a zone that is not empty holds a valuation in whole microseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/port/instant.hpp"

namespace lockproof::zones {

using Row = std::uint32_t;
inline constexpr Row now_row = 0;

/// So long after a row; negative: before it.
struct TimePoint {
  Row row = now_row;
  std::int64_t us = 0;
  bool operator==(const TimePoint&) const = default;
};

class Zone {
 public:
  using Bound = std::int64_t;  // of the difference of two rows, in microseconds
  static constexpr Bound none = std::int64_t{1} << 60;

  /// Now alone.
  Zone() : bounds_{0} {}

  [[nodiscard]] std::size_t size() const { return size_; }
  /// The greatest value of row x less row y; `none`: there is no greatest one.
  [[nodiscard]] Bound bound(Row x, Row y) const { return bounds_[x * size_ + y]; }

  // Each of these takes the valuations out that do not satisfy it. False: none is left, and the zone must not be used
  // any more.
  [[nodiscard]] bool require(Row x, Row y, Bound most);
  [[nodiscard]] bool require_not_after(const TimePoint& one, const TimePoint& other) {
    return require(one.row, other.row, other.us - one.us);
  }
  [[nodiscard]] bool require_before(const TimePoint& one, const TimePoint& other) {
    return require(one.row, other.row, other.us - one.us - 1);
  }
  [[nodiscard]] bool require_same(const TimePoint& one, const TimePoint& other) {
    return require_not_after(one, other) && require_not_after(other, one);
  }

  /// A new row between the two durations after another one, both included. REQUIRES: least <= most.
  Row add(Row after, Duration least, Duration most);
  /// Any time passes: now is no more bounded from above (the delay closure).
  void delay();
  /// The zone of these rows, in this order, whatever the others are. REQUIRES: the first one is now.
  [[nodiscard]] Zone projected(std::span<const Row> rows) const;
  /// Whether each valuation of the other zone is one of this. REQUIRES: equal sizes.
  [[nodiscard]] bool includes(const Zone& other) const;
  bool operator==(const Zone&) const = default;

  /// Appends it in few bytes: of rows at fixed distances from each other, all bounds are written of one alone.
  void pack(std::string& into) const;
  /// REQUIRES: `bytes` begin with those of a zone.
  static Zone unpack(const char* bytes);
  /// How a packed zone lies to this one, as far as that is known without unpacking it.
  struct Relation {
    bool includes_this = true, may_lie_inside = true;
  };
  /// REQUIRES: equal sizes.
  [[nodiscard]] Relation relation_of(const char* packed) const;

 private:
  [[nodiscard]] Bound& at(Row x, Row y) { return bounds_[x * size_ + y]; }

  std::size_t size_ = 1;
  std::vector<Bound> bounds_;  // canonical: none is greater than a sum of others implies
};

}  // namespace lockproof::zones
