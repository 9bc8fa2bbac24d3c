// SPDX-License-Identifier: Apache-2.0
// HostClocks: the three clocks of one host as functions of world time. Integer microseconds throughout.
#pragma once

#include "algorithms/port/instant.hpp"
#include "harness/history/event.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::sim {

/// What a wall clock without offset shows at the start of every run: 2023-11-14 22:13:20 UTC.
inline constexpr milliseconds epoch{1'700'000'000'000};

class HostClocks {
 public:
  explicit HostClocks(const harness::ClockSpec& spec)
      : wall_ahead_(spec.wall + epoch), mono_ahead_(spec.mono), boot_ahead_(spec.mono) {}

  [[nodiscard]] harness::Readings at(Duration world) const {
    return {wall_ms(world), (world + mono_ahead_).count(), (world + boot_ahead_).count()};
  }
  /// Whole milliseconds, rounded down, before 1970 too.
  [[nodiscard]] std::int64_t wall_ms(Duration world) const {
    return std::chrono::floor<milliseconds>(world + wall_ahead_).count();
  }
  [[nodiscard]] Mono mono(Duration world) const { return InstantAccess::make<Mono>((world + mono_ahead_).count()); }
  /// World time at which the monotonic clock shows `instant`.
  [[nodiscard]] Duration when(Mono instant) const { return Duration(InstantAccess::us(instant)) - mono_ahead_; }

  /// A jump moves the wall clock and no other.
  void jump(Duration by) { wall_ahead_ += by; }

 private:
  Duration wall_ahead_, mono_ahead_, boot_ahead_;
};

}  // namespace lockproof::sim
