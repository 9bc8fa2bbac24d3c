// SPDX-License-Identifier: Apache-2.0
// HostClock and HostRandom: the ports Clock and Random of one client process. The clocks run over the machine's
// monotonic clock, scaled; how far the wall clock has jumped, and how fast all clocks run, is read from the board at
// each look.
#pragma once

#include <functional>
#include <utility>

#include "algorithms/port/clock.hpp"
#include "algorithms/port/random.hpp"
#include "harness/history/event.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/clock/drift.hpp"
#include "real/clock/world_time.hpp"
#include "real/record/board.hpp"

namespace lockproof::real {

/// What a host's clocks show at a scenario instant. `wall_ahead`: its offset and its jumps; `stood`: for how long it
/// was suspended.
[[nodiscard]] harness::Readings readings(Duration at, Duration wall_ahead, Duration boot_ahead, Duration stood);

class HostClock final : public Clock {
 public:
  /// `drift` and `stood_us` may be null: then the clocks run at world time's rate, and are never suspended.
  HostClock(WorldTime time, const harness::ClockSpec& spec, const std::atomic<std::int64_t>& jumped_us,
            const SharedDrift* drift = nullptr, const std::atomic<std::int64_t>* stood_us = nullptr)
      : time_(time), spec_(spec), jumped_us_(jumped_us), shared_drift_(drift), shared_stood_us_(stood_us) {}
  /// Called when the clocks turn out to run at another rate, or the host to have been suspended. It maps the machine
  /// instant at which something was due to the one at which it is due now.
  using Move = std::function<std::int64_t(std::int64_t)>;
  void on_change(std::function<void(const Move&)> hook) { changed_ = std::move(hook); }
  /// Checks whether that has changed. The functions below do so first.
  void refresh();

  Wall wall() override;
  Mono mono() override;
  Boot boot() override;

  [[nodiscard]] const WorldTime& world_time() const { return time_; }
  [[nodiscard]] harness::Readings at(Duration world);
  /// The machine instant from which on the monotonic clock shows `due` or more.
  [[nodiscard]] std::int64_t machine_at(Mono due);
  /// The machine instant from which on the wall clock shows `due` or more, unless it jumps before.
  [[nodiscard]] std::int64_t machine_at(Wall due);

 private:
  const WorldTime time_;
  const harness::ClockSpec spec_;
  const std::atomic<std::int64_t>& jumped_us_;
  const SharedDrift* const shared_drift_;
  const std::atomic<std::int64_t>* const shared_stood_us_;
  Drift drift_;  // as of the last refresh
  Duration stood_{};
  std::uint64_t version_ = 0;
  std::function<void(const Move&)> changed_;
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
