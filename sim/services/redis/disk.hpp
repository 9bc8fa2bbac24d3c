// SPDX-License-Identifier: Apache-2.0
// Disk: what a server has written to disk, and so what it loads when it starts again. A plain value. See
// docs/semantics/faults.md, "Servers that go down".
#pragma once

#include <utility>
#include <vector>

#include "algorithms/port/instant.hpp"
#include "harness/scenario/scenario.hpp"
#include "sim/services/redis/keyspace.hpp"

namespace lockproof::sim::redis {

class Disk {
 public:
  /// `unsynced`: in a log that is flushed every second, changes younger than this are not on disk.
  explicit Disk(harness::Persistence kind = harness::Persistence::none, Duration unsynced = std::chrono::seconds(1))
      : kind_(kind), unsynced_(unsynced) {}

  /// The keys have changed to these.
  void write(Duration now, const Dataset& keys);
  /// All keys were replaced by a copy from a master: a log is then rewritten, and is on disk as a whole.
  void rewrite(const Dataset& keys);
  /// The process ends with these keys, in an orderly way or `without_warning`. Returns the keys with which it starts
  /// again.
  [[nodiscard]] Dataset end(Duration now, const Dataset& keys, bool without_warning);

  [[nodiscard]] const Dataset& snapshot() const { return snapshot_; }
  /// What a power cut leaves of a log at this instant, and which changes it would lose.
  [[nodiscard]] const Dataset& flushed(Duration now) const;
  using Change = std::pair<Duration, Dataset>;
  [[nodiscard]] std::vector<Change> unflushed(Duration now) const;
  [[nodiscard]] Duration unsynced() const { return unsynced_; }

 private:
  [[nodiscard]] bool logs_seconds() const { return kind_ == harness::Persistence::aof_everysec; }

  harness::Persistence kind_;
  Duration unsynced_;
  Dataset snapshot_;             // the RDB file, from the last orderly end
  Dataset settled_;              // for a log that is flushed once a second: what is on disk for certain
  std::vector<Change> changes_;  // … and what was written behind that, in order
};

}  // namespace lockproof::sim::redis
