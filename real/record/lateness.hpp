// SPDX-License-Identifier: Apache-2.0
// Lateness: by how much the machine was late in a run. What a scenario says of times is true of real processes only as
// long as they get a processor when they have something to do; on a busy machine they wait for it. Seen are timers that
// ran late, and messages that took long, apart from what faults had stopped or held at the time.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/history/history.hpp"
#include "real/clock/world_time.hpp"

namespace lockproof::real {

class Lateness {
 public:
  static constexpr std::int64_t least_ns = 1'000'000;  // less is not worth writing down

  /// Something was to happen then, by the host's own doing, and happened only now. Machine nanoseconds. Of the
  /// supervisor: no_host.
  void add(harness::HostIndex host, std::int64_t due_ns, std::int64_t now_ns);
  /// The longest, in the machine's microseconds.
  [[nodiscard]] std::int64_t most_us(const harness::History& history, const WorldTime& time) const;

 private:
  struct Late {
    harness::HostIndex host;
    std::int64_t due_ns, now_ns;
  };
  std::vector<Late> late_;
};

}  // namespace lockproof::real
