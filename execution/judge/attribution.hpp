// SPDX-License-Identifier: Apache-2.0
// Attribution: which connection of a server's log is which worker's, and how far the worker's clock is ahead of the
// server's. A worker's line that it is inside was written between the command that gave it the lock and the next one of
// its connection that gives the lock back or asks anew; so each line allows some differences of the two clocks. A
// connection is a candidate if one difference fits all lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "execution/judge/lock_of_log.hpp"

namespace lockproof::execution {

/// A range of time, both ends included.
struct TimeRange {
  std::int64_t least = INT64_MIN, most = INT64_MAX;
  [[nodiscard]] bool empty() const { return least > most; }
};

struct Attribution {
  std::optional<int> connection;  // nothing: it cannot be told
  std::vector<int> candidates;
  TimeRange ahead_us;  // by how much the worker's clock is ahead of the server's
  std::vector<std::optional<std::size_t>>
      holds;          // the hold that each of the worker's lines is of, where one alone fits
  std::string why{};  // why it cannot be told
};

/// One for each worker. `clocks`: no worker's clock is further from the server's.
[[nodiscard]] std::vector<Attribution> attribute(const ReplayedLog& log, const LockOfLog& lock,
                                                 const std::vector<WorkerLog>& workers, Duration clocks);

}  // namespace lockproof::execution
