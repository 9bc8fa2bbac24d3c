// SPDX-License-Identifier: Apache-2.0
// WorldTime: scenario time over the machine's monotonic clock. Scenario time starts with the scenario and runs
// `speedup` times as fast; all processes of a run share one start, so their stamps can be compared.
#pragma once

#include <cstdint>

#include "algorithms/port/instant.hpp"
#include "harness/scenario/plan.hpp"

namespace lockproof::real {

/// CLOCK_MONOTONIC, in nanoseconds.
[[nodiscard]] std::int64_t machine_ns();
/// Blocks until then, in nanoseconds of CLOCK_MONOTONIC.
void sleep_until(std::int64_t at_ns);

/// What every wall clock without an offset shows when the scenario starts: 14 November 2023, 22:13:20 UTC.
inline constexpr std::int64_t epoch_us = Duration(harness::epoch).count();

class WorldTime {
 public:
  WorldTime(std::int64_t start_ns, std::int64_t speedup) : start_ns_(start_ns), speedup_(speedup) {}

  [[nodiscard]] std::int64_t start_ns() const { return start_ns_; }
  [[nodiscard]] std::int64_t speedup() const { return speedup_; }
  [[nodiscard]] Duration now() const { return at(machine_ns()); }
  /// Scenario time at a machine instant, rounded down.
  [[nodiscard]] Duration at(std::int64_t ns) const;
  /// The first machine instant at which scenario time is `t` or later: timers that run then never fire early.
  [[nodiscard]] std::int64_t machine_at(Duration t) const;
  /// How long a scenario duration takes, rounded up.
  [[nodiscard]] std::int64_t machine_ns_of(Duration d) const;

 private:
  std::int64_t start_ns_;
  std::int64_t speedup_;
};

}  // namespace lockproof::real
