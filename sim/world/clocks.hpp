// SPDX-License-Identifier: Apache-2.0
// HostClocks: the three clocks of one host as functions of world time. Integer microseconds throughout.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "algorithms/port/instant.hpp"
#include "harness/history/event.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::sim {

using harness::epoch;

/// How much of the clocks a state's encoding has: the times from now, the offsets of wall clocks too, or even the
/// instant.
enum class ClockDetail : std::uint8_t { relative, offsets, instant };

/// Instants of world time that recur.
struct Recurrence {
  Duration next{}, period{};
};

class HostClocks {
 public:
  explicit HostClocks(const harness::ClockSpec& spec) : wall_(spec.wall + epoch), mono_(spec.mono), boot_(spec.mono) {}

  [[nodiscard]] harness::Readings at(Duration world) const {
    return {wall_ms(world), (mono_ + mono_ran(world)).count(), (boot_ + ran(world)).count()};
  }
  /// Whole milliseconds, rounded down, before 1970 too.
  [[nodiscard]] std::int64_t wall_ms(Duration world) const {
    return std::chrono::floor<milliseconds>(wall_ + ran(world)).count();
  }
  [[nodiscard]] Mono mono(Duration world) const { return InstantAccess::make<Mono>((mono_ + mono_ran(world)).count()); }

  /// What the monotonic clock shows when the wall clock shows this, unless the wall clock jumps or either stands still
  /// before.
  [[nodiscard]] Mono mono_at(Wall shown) const {
    return InstantAccess::make<Mono>((mono_ + Duration(InstantAccess::us(shown)) - wall_ - stood()).count());
  }
  /// The first world time at which the monotonic clock shows `instant` or more; far in the future if it stands still
  /// before.
  [[nodiscard]] Duration when(Mono instant) const {
    const Duration wanted = Duration(InstantAccess::us(instant)) - mono_;
    return after(wanted > Duration{} ? wanted + stood() : wanted);
  }
  /// The same for the boot-time clock.
  [[nodiscard]] Duration when(Boot instant) const { return after(Duration(InstantAccess::us(instant)) - boot_); }
  /// The first world time at which the wall clock shows more than this stamp; far in the future if it never does.
  [[nodiscard]] Duration when_past(std::int64_t wall_stamp_ms) const {
    if (wall_stamp_ms > stamp_ms_max) return Duration::max();
    return after(milliseconds(wall_stamp_ms + 1) - wall_);
  }

  /// The state of these clocks that makes a difference later, besides what they show: where in its millisecond the wall
  /// clock is, how they run, and how long the monotonic one stands still.
  [[nodiscard]] std::array<std::int64_t, 4> phase(Duration world) const {
    const auto shown = wall_ + ran(world);
    const auto within = (shown - std::chrono::floor<milliseconds>(shown)).count();
    return {within, rate_ppb_, static_cast<std::int64_t>(Wide{(world - since_).count()} * rate_ppb_ % billion),
            (std::max(stands_until_, world) - world).count()};
  }

  /// A jump moves only the wall clock.
  void jump(Duration by) { wall_ += by; }
  /// From now on all clocks run `rate_ppb` billionths faster than world time, or slower.
  void set_rate(Duration now, std::int64_t rate_ppb) {
    go_on(now);
    rate_ppb_ = rate_ppb;
  }
  /// The monotonic clock stands still from now until this instant, or until it was to go on before, if that is later.
  /// Call go_on at the end.
  void stop_mono(Duration now, Duration until) {
    go_on(now);
    stands_until_ = std::max(stands_until_, until);
  }
  /// The clocks as they were, with time counted from now: the rounding of their rate begins anew.
  void go_on(Duration now) {
    const Duration run = ran(now), mono_run = mono_ran(now);
    wall_ += run, mono_ += mono_run, boot_ += run;
    since_ = now;
  }

 private:
  __extension__ using Wide = __int128;
  static constexpr std::int64_t billion = 1'000'000'000;
  static constexpr std::int64_t stamp_ms_max = std::int64_t{1} << 52;

  /// The first world time at which the clocks have run this far since `since_`.
  [[nodiscard]] Duration after(Duration wanted) const {
    if (rate_ppb_ == 0 || wanted <= Duration{}) return since_ + wanted;
    const Wide speed = billion + rate_ppb_, distance = wanted.count();
    if (speed <= 0) return Duration::max();
    // Of e the clocks run e * speed / billion, rounded down if they are fast, and up if they are slow.
    const auto elapsed =
        rate_ppb_ > 0 ? (distance * billion + speed - 1) / speed : (distance - 1) * billion / speed + 1;
    const auto world = since_.count() + elapsed;
    return world > Duration::max().count() ? Duration::max() : Duration(static_cast<std::int64_t>(world));
  }

  /// How far the clocks have run since `since_`.
  [[nodiscard]] Duration ran(Duration world) const {
    const Duration elapsed = world - since_;
    if (rate_ppb_ == 0) return elapsed;
    return elapsed + Duration(static_cast<std::int64_t>(Wide{elapsed.count()} * rate_ppb_ / billion));
  }

  /// The part of that which the others have run while the monotonic clock stood still, or will have when it goes
  /// on.
  [[nodiscard]] Duration stood() const { return stands_until_ > since_ ? ran(stands_until_) : Duration{}; }
  [[nodiscard]] Duration mono_ran(Duration world) const {
    return world <= stands_until_ ? Duration{} : ran(world) - stood();
  }

  Duration wall_, mono_, boot_;  // what the clocks showed at `since_`
  Duration since_{};
  Duration stands_until_ = Duration::min();  // the monotonic clock
  std::int64_t rate_ppb_ = 0;
};

}  // namespace lockproof::sim
