// SPDX-License-Identifier: Apache-2.0
// Ticks: how memcached counts time. A timer adds one to a counter once a second, by the monotonic clock, counted from
// the start of the process; all times to live are counted in it. So an item stored for e seconds is gone at the e-th
// tick from now, and the first of those seconds is shortened by the time since the last tick.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "algorithms/port/instant.hpp"

namespace lockproof::sim::memcached {

class Ticks {
 public:
  static constexpr std::int64_t period_us = 1'000'000;

  /// `from_us`: what the monotonic clock shows at tick 0.
  explicit Ticks(std::int64_t from_us) : from_us_(from_us) {}

  /// The number that it has counted when the monotonic clock shows this; before tick 0 it is negative.
  [[nodiscard]] std::int64_t at(std::int64_t mono_us) const {
    return still_at_ ? std::min(*still_at_, due_by(mono_us)) : due_by(mono_us);
  }
  /// The process stands still: it counts no ticks until `count`.
  void stand_still(std::int64_t mono_us) { still_at_ = at(mono_us); }
  void count() { still_at_.reset(); }
  /// The tick at which it stood still, if it has not counted since.
  [[nodiscard]] std::optional<std::int64_t> still_at() const { return still_at_; }
  /// The number of ticks that were due, counted or not.
  [[nodiscard]] std::int64_t due_by(std::int64_t mono_us) const {
    const std::int64_t since = mono_us - from_us_;
    return since / period_us - (since % period_us < 0 ? 1 : 0);
  }
  /// What the monotonic clock shows at a tick.
  [[nodiscard]] Mono instant_of(std::int64_t tick) const {
    return InstantAccess::make<Mono>(from_us_ + tick * period_us);
  }
  /// The time until a tick, by the monotonic clock.
  [[nodiscard]] Duration until(std::int64_t tick, std::int64_t mono_us) const {
    return Duration(from_us_ + tick * period_us - mono_us);
  }
  bool operator==(const Ticks&) const = default;

 private:
  std::int64_t from_us_;
  std::optional<std::int64_t> still_at_{};
};

}  // namespace lockproof::sim::memcached
