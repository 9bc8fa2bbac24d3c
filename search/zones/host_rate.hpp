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

  /// So many billionths faster than world time, or slower. REQUIRES: the clocks do not stand still.
  explicit HostRate(std::int64_t ppb) : ppb_(ppb) {}

  /// How long after an instant the clock first shows `us` more than it did then, or less.
  [[nodiscard]] Reach reach(std::int64_t us) const {
    if (ppb_ == 0) return {us, us};
    if (us > 0) return {earliest(us), latest(us)};
    return {1 - latest(1 - us), 1 - earliest(1 - us)};
  }

 private:
  __extension__ using Wide = __int128;
  static constexpr Wide billion = 1'000'000'000;

  // In a time e a clock runs e * (1 + rate), rounded up or down as its phase has it.
  [[nodiscard]] std::int64_t earliest(std::int64_t us) const {
    return static_cast<std::int64_t>(Wide{us - 1} * billion / (billion + ppb_)) + 1;
  }
  [[nodiscard]] std::int64_t latest(std::int64_t us) const {
    const Wide speed = billion + ppb_;
    return static_cast<std::int64_t>((Wide{us} * billion + speed - 1) / speed);
  }

  std::int64_t ppb_;
};

}  // namespace lockproof::zones
