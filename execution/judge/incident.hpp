// SPDX-License-Identifier: Apache-2.0
// Incident: what the logs tell together: who held the lock and was inside when, certainly and possibly, and who was
// silent meanwhile. All times are the server's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "execution/judge/attribution.hpp"

namespace lockproof::execution {

/// Of one hold. Certainly inside: as late and as short as the evidence allows; empty: no line says so.
struct Stay {
  TimeRange certain{INT64_MAX, INT64_MIN};
  TimeRange possible;
  bool has_entry = false;  // a line of its worker says that it got the lock
};

/// A connection that used the lock, and the worker that it is of, if that can be told.
struct IncidentClient {
  std::string name;  // "client-1", by order of first sight
  int connection = 0;
  std::optional<std::size_t> worker{};
};

/// A client was heard of before its lease ended and not given back, and next only after that.
struct Gap {
  std::size_t client = 0, hold = 0;
  std::int64_t from_us = 0, lease_end_us = 0;
  std::optional<std::int64_t> to_us{};  // nothing: it was not heard of again
  bool silent = true;                   // false: it was heard of so often that it cannot have stood still
};

struct Incident {
  ReplayedLog log;
  LockOfLog lock;
  std::vector<WorkerLog> workers;
  std::vector<Attribution> attributions;  // of each worker
  std::vector<IncidentClient> clients;
  std::vector<Stay> stays;  // of each hold
  std::vector<Gap> gaps;

  [[nodiscard]] std::size_t client_of(int connection) const;
  [[nodiscard]] const Hold& hold(const Gap& gap) const { return lock.holds[gap.hold]; }
  /// How long work under the lock takes, where nothing stood still; 0: no round tells.
  [[nodiscard]] std::int64_t usual_work_us() const;
};

struct JudgeOrder {
  std::vector<LogText> files;
  LinePatterns patterns;
  std::string key;               // names the lock's key; empty: it is learned
  Duration clocks = seconds(1);  // no worker's clock is further from the server's
};

/// REQUIRES: the logs have one of the server. Throws InputError.
[[nodiscard]] Incident incident_of(IncidentLogs logs, const JudgeOrder& order);

}  // namespace lockproof::execution
