// SPDX-License-Identifier: Apache-2.0
// Lateness: by how much the machine was late in a run. The times of a scenario hold for real processes only as long as
// they get a processor when they need it; on a busy machine they wait for it. It counts timers that ran late and
// messages that took long, except where faults had stopped or held them.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "harness/history/history.hpp"
#include "real/clock/world_time.hpp"

namespace lockproof::real {

class Lateness {
 public:
  static constexpr std::int64_t least_ns = 1'000'000;  // less is not recorded

  /// Notes that something the host does itself was due at `due_ns` and happened at `now_ns`, in machine nanoseconds.
  /// no_host: the supervisor.
  void add(harness::HostIndex host, std::int64_t due_ns, std::int64_t now_ns);
  /// A command waits in its server, so how long its reply takes says nothing. The two hosts and the message's number.
  void waits(harness::HostIndex client, harness::HostIndex server, int message) {
    waiting_.insert({client, server, message});
  }
  /// The longest delay of a timer so far, in machine nanoseconds, faults or not.
  [[nodiscard]] std::int64_t so_far_ns() const { return so_far_ns_; }
  /// The longest delay, in the machine's microseconds.
  [[nodiscard]] std::int64_t most_us(const harness::History& history, const WorldTime& time) const;

 private:
  struct LatenessRecord {
    harness::HostIndex host;
    std::int64_t due_ns, now_ns;
  };
  std::vector<LatenessRecord> late_;
  std::int64_t so_far_ns_ = 0;
  std::set<std::tuple<harness::HostIndex, harness::HostIndex, int>> waiting_;
};

}  // namespace lockproof::real
