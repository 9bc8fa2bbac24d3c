// SPDX-License-Identifier: Apache-2.0
#include "real/clock/drift.hpp"

#include <algorithm>
#include <chrono>

namespace lockproof::real {
namespace {

__extension__ using Wide = __int128;
constexpr std::int64_t billion = 1'000'000'000;
constexpr Duration decade = std::chrono::hours(24 * 3652);

std::int64_t floor_ratio(Wide a, Wide b) {
  const Wide q = a / b;
  return static_cast<std::int64_t>(a % b < 0 ? q - 1 : q);
}

}  // namespace

/// Clocks that stand still go on after a decade. No run lasts that long; but so each of their readings is shown some
/// day, and a timer that waits for one is known by its instant.
Duration Drift::at(Duration world) const {
  if (rate_ppb == -billion) return ahead - std::clamp(world - from, Duration{}, decade);
  return ahead + Duration(floor_ratio(Wide{(world - from).count()} * rate_ppb, billion));
}

/// Computes the least w with w + ahead + floor((w - from) * rate) >= shown.
Duration Drift::when(Duration shown) const {
  const std::int64_t wanted = (shown - from - ahead).count();  // to pass on the host's clock since `from`
  if (rate_ppb == -billion) return from + (wanted > 0 ? decade : Duration{}) + Duration(wanted);
  const Wide rate = Wide{billion} + rate_ppb;
  const auto passed = -floor_ratio(-(Wide{wanted} * billion), rate);
  return from + Duration(passed);
}

void SharedDrift::set(const Drift& drift) {
  const std::uint64_t before = sequence_.load(std::memory_order_relaxed);
  sequence_.store(before + 1, std::memory_order_relaxed);
  // Released one by one: a reader of one of them sees that a write is in progress.
  from_us_.store(drift.from.count(), std::memory_order_release);
  ahead_us_.store(drift.ahead.count(), std::memory_order_release);
  rate_ppb_.store(drift.rate_ppb, std::memory_order_release);
  sequence_.store(before + 2, std::memory_order_release);
}

Drift SharedDrift::get() const {
  for (;;) {
    const std::uint64_t before = sequence_.load(std::memory_order_acquire);
    const Drift drift{Duration(from_us_.load(std::memory_order_acquire)),
                      Duration(ahead_us_.load(std::memory_order_acquire)), rate_ppb_.load(std::memory_order_acquire)};
    if ((before & 1U) == 0 && sequence_.load(std::memory_order_relaxed) == before) return drift;
  }
}

}  // namespace lockproof::real
