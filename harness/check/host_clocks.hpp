// SPDX-License-Identifier: Apache-2.0
// HostClocks: what a host's clocks show at an instant at which only another host has an event. Between two events of a
// host its clocks run with world time, but for the jumps and rates that are in the history.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/history/history.hpp"

namespace lockproof::check {

class HostClocks {
 public:
  explicit HostClocks(const harness::Header& header) : simulated_(header.world != "real"), last_(header.hosts.size()) {}

  /// Call for each event, in order.
  void see(const harness::Event& event);
  /// A clock of `host` now, in microseconds; `clock`: wall, mono or boot.
  [[nodiscard]] std::int64_t now(harness::HostIndex host, std::string_view clock, Duration at) const;
  /// What the host reads from that clock; the wall clock is read in whole milliseconds.
  [[nodiscard]] std::int64_t shown(harness::HostIndex host, std::string_view clock, Duration at) const;

 private:
  __extension__ using Wide = __int128;
  /// The last instant at which its clocks are known: its last event, or, in the simulator, the last change of their
  /// rate.
  struct LastReadings {
    Duration at{};
    harness::Readings clocks;
    std::optional<std::int64_t> wall_ahead_us{};  // how far it is ahead of the boot-time clock
    std::int64_t wall_jump_us = 0;                // since its last event
    std::int64_t rate_ppb = 0;                    // since then, against world time
    int stops = 0;                                // how many faults stop its monotonic clock now
  };
  const bool simulated_;  // wall clocks are whole milliseconds ahead of monotonic ones
  std::vector<LastReadings> last_;
};

}  // namespace lockproof::check
