// SPDX-License-Identifier: Apache-2.0
// HostClock and HostRandom: the ports Clock and Random of one client process. The clocks run over the machine's
// monotonic clock, scaled; how far the wall clock has jumped is read from the board at each look.
#pragma once

#include "algorithms/port/clock.hpp"
#include "algorithms/port/random.hpp"
#include "harness/history/event.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/board.hpp"
#include "real/world_time.hpp"

namespace lockproof::real {

/// What a host's clocks show at a scenario instant. `wall_ahead`: its offset and its jumps.
[[nodiscard]] harness::Readings readings(Duration at, Duration wall_ahead, Duration mono_ahead);

class HostClock final : public Clock {
 public:
  HostClock(WorldTime time, const harness::ClockSpec& spec, const std::atomic<std::int64_t>& jumped_us)
      : time_(time), spec_(spec), jumped_us_(jumped_us) {}
  Wall wall() override;
  Mono mono() override;
  Boot boot() override;

  [[nodiscard]] const WorldTime& world_time() const { return time_; }
  [[nodiscard]] harness::Readings at(Duration world) const;
  /// The machine instant from which on the monotonic clock shows `due` or more.
  [[nodiscard]] std::int64_t machine_at(Mono due) const;

 private:
  const WorldTime time_;
  const harness::ClockSpec spec_;
  const std::atomic<std::int64_t>& jumped_us_;
};

class HostRandom final : public Random {
 public:
  HostRandom(std::uint64_t seed, int client);
  Token token() override;
  Duration between(Duration least, Duration most) override;

 private:
  std::uint64_t next();
  const int client_;
  std::uint64_t state_;
};

}  // namespace lockproof::real
