// SPDX-License-Identifier: Apache-2.0
// Drift: how far a host's clocks have run ahead of world time, because they run at another rate. All three clocks of a
// host share it. SharedDrift carries it from the supervisor into a client's process.
#pragma once

#include <atomic>
#include <cstdint>

#include "algorithms/port/instant.hpp"

namespace lockproof::real {

/// The drift from an instant on, at one rate.
struct Drift {
  Duration from{};            // world time
  Duration ahead{};           // at that instant
  std::int64_t rate_ppb = 0;  // billionths faster than world time from there on

  [[nodiscard]] Duration at(Duration world) const;
  /// The first world time at which a clock shows `shown` or more that shows world time plus this drift.
  [[nodiscard]] Duration when(Duration shown) const;
  /// The same drift until `world`, at another rate from there on.
  [[nodiscard]] Drift with_rate(Duration world, std::int64_t ppb) const { return {world, at(world), ppb}; }
  bool operator==(const Drift&) const = default;
};

/// A drift in memory that processes share. One writer; a reader never sees a partial change.
class SharedDrift {
 public:
  void set(const Drift& drift);
  [[nodiscard]] Drift get() const;
  /// Differs after each change.
  [[nodiscard]] std::uint64_t version() const { return sequence_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::uint64_t> sequence_{0};  // odd while it is being written
  std::atomic<std::int64_t> from_us_{0}, ahead_us_{0}, rate_ppb_{0};
};

}  // namespace lockproof::real
