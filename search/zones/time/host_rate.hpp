// SPDX-License-Identifier: Apache-2.0
// HostRate: how long the clocks of a host take, in world time, to run some way. All of them run at one rate for the
// whole run, and show whole microseconds; where in its microsecond a clock is at an instant is not known.
#pragma once

#include <cstdint>

namespace lockproof::zones {

class HostRate {
 public:
  /// Of world time, both included.
  struct Reach {
    std::int64_t earliest = 0, latest = 0;
  };

  /// So many billionths faster than world time, or slower. `stops`: so often one of the clocks may stand still for a
  /// while, after which its rounding begins anew. REQUIRES: the clocks do not stand still for ever.
  explicit HostRate(std::int64_t ppb, int stops = 0) : ppb_(ppb), stops_(stops) {}

  /// How long after an instant the clock first shows `us` more than it did then, or less.
  [[nodiscard]] Reach reach(std::int64_t us) const {
    if (ppb_ == 0) return {us, us};
    return {of_phase(us - stops_).earliest, of_phase(us + stops_).latest};
  }

 private:
  __extension__ using Product = __int128;
  static constexpr Product billion = 1'000'000'000;

  [[nodiscard]] Reach of_phase(std::int64_t us) const {
    if (us > 0) return {earliest(us), latest(us)};
    return {1 - latest(1 - us), 1 - earliest(1 - us)};
  }
  // In a time e a clock runs e * (1 + rate), rounded up or down as its phase has it.
  [[nodiscard]] std::int64_t earliest(std::int64_t us) const {
    return static_cast<std::int64_t>(Product{us - 1} * billion / (billion + ppb_)) + 1;
  }
  [[nodiscard]] std::int64_t latest(std::int64_t us) const {
    const Product speed = billion + ppb_;
    return static_cast<std::int64_t>((Product{us} * billion + speed - 1) / speed);
  }

  std::int64_t ppb_;
  int stops_;
};

}  // namespace lockproof::zones
