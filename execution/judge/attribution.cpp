// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/attribution.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace lockproof::execution {
namespace {

constexpr std::int64_t ever = INT64_MAX / 4;  // sums of two do not overflow

constexpr std::int64_t shortest_round_us = 5000;
constexpr std::ptrdiff_t outside_count = 2;

/// Where a line may have been written, by the server's clock.
struct LineWindow {
  TimeRange us;
  std::optional<std::size_t> hold;  // nothing: in a time that the log does not have
};

/// Differences of the clocks that lines allow, the last of which is of this hold.
struct Fit {
  TimeRange ahead;
  std::optional<std::size_t> hold;
};

/// The times that the log does not have. A line near its ends is of a hold that the log has: to get the lock, to give
/// it back and to ask again takes longer than `shortest_round_us`.
std::vector<LineWindow> windows_outside(const ReplayedLog& log, const LockOfLog& lock, int connection) {
  std::int64_t before = log.begin_us, after = log.end_us;
  bool is_first = true;
  for (const std::size_t i : lock.executions) {
    const ServerExecution& one = log.executions[i];
    if (one.connection != connection) continue;
    // A connection that does not begin with asking may have held the lock before.
    if (is_first) before = lock.asks(one) ? std::min(before, one.at_us - shortest_round_us) : one.at_us;
    is_first = false;
  }
  for (const Hold& hold : lock.holds) {
    if (hold.connection == connection) after = std::max(after, hold.from_us + shortest_round_us);
  }
  return {{{-ever, before}, {}}, {{after, ever}, {}}};  // outside_count of them
}

std::vector<LineWindow> windows_of(const ReplayedLog& log, const LockOfLog& lock, int connection, LineKind kind) {
  std::vector<LineWindow> windows = windows_outside(log, lock, connection);
  for (std::size_t i = 0; i < lock.holds.size(); ++i) {
    const Hold& hold = lock.holds[i];
    if (hold.connection != connection) continue;
    const std::int64_t until = hold.until_us >= log.end_us ? ever : hold.until_us;
    const std::int64_t given_back = hold.released ? std::min(log.executions[*hold.released].at_us, until) : until;
    if (kind == LineKind::released) {
      windows.push_back({{hold.released ? given_back : hold.from_us, until + log.precision_us}, i});
    } else {
      windows.push_back({{hold.from_us, given_back + log.precision_us}, i});
    }
  }
  return windows;
}

/// The connection against a worker's log: which differences of the clocks fit all lines.
class Comparison {
 public:
  Comparison(const ReplayedLog& log, const LockOfLog& lock, int connection, const WorkerLog& worker, Duration clocks)
      : worker_(worker), clocks_us_(clocks.count()), fits_({{{-clocks.count(), clocks.count()}, {}}}) {
    for (const LineKind kind : {LineKind::enters, LineKind::leaves, LineKind::released}) {
      windows_.push_back(windows_of(log, lock, connection, kind));
    }
    for (const WorkerLine& line : worker.lines) {
      if (line.kind == LineKind::nothing) continue;
      fits_ = narrowed(line);
      if (!fits_.empty()) continue;
      failed_at_ = line.number;
      return;
    }
  }

  [[nodiscard]] bool fits() const { return !fits_.empty(); }
  [[nodiscard]] int failed_at() const { return failed_at_; }
  [[nodiscard]] TimeRange ahead() const {
    TimeRange all{INT64_MAX, INT64_MIN};
    for (const Fit& fit : fits_) {
      all = {std::min(all.least, fit.ahead.least), std::max(all.most, fit.ahead.most)};
    }
    return all;
  }

  /// The hold of each line, where all differences that fit say the same.
  [[nodiscard]] std::vector<std::optional<std::size_t>> holds() const {
    std::vector<std::optional<std::size_t>> all;
    for (const WorkerLine& line : worker_.lines) {
      std::set<std::optional<std::size_t>> possible;
      if (line.kind != LineKind::nothing) {
        for (const Fit& allowed : fits_of(line)) {
          const auto overlaps = [&](const Fit& fit) {
            return std::max(fit.ahead.least, allowed.ahead.least) <= std::min(fit.ahead.most, allowed.ahead.most);
          };
          if (std::ranges::any_of(fits_, overlaps)) possible.insert(allowed.hold);
        }
      }
      all.push_back(possible.size() == 1 ? *possible.begin() : std::nullopt);
    }
    return all;
  }

 private:
  /// Written at `w` by the worker's clock, it was written at `w - ahead` by the server's.
  [[nodiscard]] std::vector<Fit> fits_of(const WorkerLine& line) const {
    std::vector<Fit> fits;
    const std::vector<LineWindow>& windows = windows_[static_cast<std::size_t>(line.kind) - 1];
    const auto add = [&](const LineWindow& window) {
      fits.push_back({{line.at_us - window.us.most, line.at_us + line.precision_us - window.us.least}, window.hold});
    };
    const auto holds = windows.begin() + outside_count;
    std::for_each(windows.begin(), holds, add);
    // Those of holds follow one another: only some are near enough.
    const std::int64_t latest = line.at_us + line.precision_us + clocks_us_;
    auto near = std::partition_point(
        holds, windows.end(), [&](const LineWindow& window) { return window.us.most < line.at_us - clocks_us_; });
    for (; near != windows.end() && near->us.least <= latest; ++near) add(*near);
    return fits;
  }
  /// What fits this line, too. A worker enters once in a hold, and before its other lines of it.
  [[nodiscard]] std::vector<Fit> narrowed(const WorkerLine& line) const {
    std::vector<Fit> left;
    for (const Fit& allowed : fits_of(line)) {
      for (const Fit& fit : fits_) {
        if (line.kind == LineKind::enters && fit.hold && fit.hold == allowed.hold) continue;
        const TimeRange both{std::max(fit.ahead.least, allowed.ahead.least),
                             std::min(fit.ahead.most, allowed.ahead.most)};
        if (!both.empty()) left.push_back({both, allowed.hold});
      }
    }
    std::ranges::sort(left, {}, [](const Fit& fit) { return std::pair(fit.hold, fit.ahead.least); });
    std::vector<Fit> merged;
    for (const Fit& fit : left) {
      if (!merged.empty() && merged.back().hold == fit.hold && fit.ahead.least <= merged.back().ahead.most) {
        merged.back().ahead.most = std::max(merged.back().ahead.most, fit.ahead.most);
      } else {
        merged.push_back(fit);
      }
    }
    return merged;
  }

  const WorkerLog& worker_;
  const std::int64_t clocks_us_;
  std::vector<std::vector<LineWindow>> windows_;  // by kind of line
  std::vector<Fit> fits_;
  int failed_at_ = 0;
};

bool speaks_of_lock(const WorkerLog& worker) {
  return std::ranges::any_of(worker.lines, [](const WorkerLine& line) { return line.kind == LineKind::enters; });
}

std::set<int> connections_of(const ReplayedLog& log, const LockOfLog& lock) {
  std::set<int> connections;
  for (const std::size_t i : lock.executions) connections.insert(log.executions[i].connection);
  return connections;
}

Attribution compared(const ReplayedLog& log, const LockOfLog& lock, const WorkerLog& worker, Duration clocks) {
  Attribution found;
  if (!worker.doubt.empty()) {
    found.why = worker.doubt;
    return found;
  }
  if (!speaks_of_lock(worker)) {
    found.why = "no line says that it got the lock; say by --enters what such a line contains";
    return found;
  }
  int failed_at = 0;
  for (const int connection : connections_of(log, lock)) {
    const Comparison comparison(log, lock, connection, worker, clocks);
    failed_at = std::max(failed_at, comparison.failed_at());
    if (comparison.fits()) found.candidates.push_back(connection);
  }
  if (found.candidates.empty()) {
    found.why = fmt::format(
        "its line {} fits no connection: its clock is further off than --clocks, it has several connections, or its "
        "lines mean something else",
        failed_at);
  }
  return found;
}

}  // namespace

std::vector<Attribution> attribute(const ReplayedLog& log, const LockOfLog& lock, const std::vector<WorkerLog>& workers,
                                   Duration clocks) {
  std::vector<Attribution> all;
  for (const WorkerLog& worker : workers) all.push_back(compared(log, lock, worker, clocks));
  // A connection is of one process: whose alone it can be, the others' it is not.
  for (std::size_t settled = 0; settled <= workers.size(); ++settled) {
    std::map<int, int> claims;
    for (const Attribution& one : all) {
      if (one.candidates.size() == 1) ++claims[one.candidates.front()];
    }
    for (Attribution& one : all) {
      if (one.candidates.size() > 1) std::erase_if(one.candidates, [&](int c) { return claims.contains(c); });
    }
  }
  std::map<int, int> users;
  for (const Attribution& one : all) {
    for (const int connection : one.candidates) ++users[connection];
  }
  for (std::size_t i = 0; i < workers.size(); ++i) {
    Attribution& one = all[i];
    if (one.candidates.empty() && one.why.empty()) one.why = "all connections that it fits are of other workers";
    if (one.candidates.size() > 1) {
      std::vector<std::string> addresses;
      for (const int c : one.candidates) addresses.push_back(log.connections[static_cast<std::size_t>(c)]);
      one.why = fmt::format("it fits several connections: {}", fmt::join(addresses, ", "));
    }
    if (one.candidates.size() == 1 && users[one.candidates.front()] > 1) {
      one.why = "another worker fits the same connection alone";
    }
    if (!one.why.empty()) continue;
    one.connection = one.candidates.front();
    const Comparison comparison(log, lock, *one.connection, workers[i], clocks);
    one.ahead_us = comparison.ahead();
    one.holds = comparison.holds();
  }
  return all;
}

}  // namespace lockproof::execution
