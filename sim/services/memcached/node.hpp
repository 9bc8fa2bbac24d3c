// SPDX-License-Identifier: Apache-2.0
// Node: one simulated memcached 1.6. It stores in memory and nowhere else. Times to live are counted in ticks of its
// monotonic clock (ticks.hpp), so that a jump of its wall clock moves no lease.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/scenario/scenario.hpp"
#include "sim/services/memcached/items.hpp"
#include "sim/services/memcached/ticks.hpp"
#include "sim/world/service_model.hpp"

namespace lockproof::sim::memcached {

class Node final : public ServiceModel {
 public:
  /// `phase`: the time until the first tick.
  explicit Node(const harness::ClockSpec& clock = {}, Duration phase = {});

  NodeAnswer execute(const Request& request) override;
  /// Evicts the lock's item, or flushes all.
  NodeAnswer apply(const harness::Fault& fault, const std::string& lock, const ServerTime& at) override;
  std::vector<harness::Effect> stop(bool without_warning, const ServerTime& at) override;
  void restart(const ServerTime& at) override;
  void encode(StateEncoder& into, const std::map<int, int>& connections, const ServerTime& at,
              std::int64_t over_at_most_ms) const override;
  void residual(StateEncoder& into, const ServerTime& at, bool with_leased) const override;
  [[nodiscard]] Duration longest_lease(const ServerTime& at) const override;
  void each_reading(const HostClocks& clocks, const std::function<void(Duration)>& see) const override;

  // The timer of the main thread counts the ticks that a pause kept back; the workers may run commands before that.
  void stand_still(const ServerTime& at) override { ticks_.stand_still(at.mono_us); }
  void go_on(const ServerTime& at) override;
  [[nodiscard]] bool acts_alone() const override { return ticks_.still_at().has_value(); }
  [[nodiscard]] std::optional<Duration> due(const HostClocks& clocks) const override;
  [[nodiscard]] OwnActs act(const ServerTime& at) override;

  [[nodiscard]] std::optional<Recurrence> ticks(const HostClocks& clocks, const ServerTime& at) const override;

  [[nodiscard]] const Items& items() const { return items_; }
  /// It stores these from now on.
  void restore(Items items) { items_ = std::move(items); }

 private:
  Items items_;
  Ticks ticks_;
  std::int64_t started_s_;  // what the wall clock showed, in whole seconds: dates are counted from there
};

}  // namespace lockproof::sim::memcached
