// SPDX-License-Identifier: Apache-2.0
// Ticks: how memcached counts time. A timer adds one to a counter once a second, by the monotonic clock, counted from
// the start of the process; all times to live are counted in it. So an item stored for e seconds is gone at the e-th
// tick from now, and the first of those seconds is shortened by the time since the last tick.
#pragma once

#include <cstdint>

#include "algorithms/port/instant.hpp"

namespace lockproof::sim::memcached {

class Ticks {
 public:
  static constexpr std::int64_t period_us = 1'000'000;

  /// `from_us`: what the monotonic clock shows at tick 0.
  explicit Ticks(std::int64_t from_us) : from_us_(from_us) {}

  /// The number of ticks so far when the monotonic clock shows this; before tick 0 it is negative.
  [[nodiscard]] std::int64_t at(std::int64_t mono_us) const {
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
};

}  // namespace lockproof::sim::memcached
