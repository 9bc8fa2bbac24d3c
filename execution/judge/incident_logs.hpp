// SPDX-License-Identifier: Apache-2.0
// IncidentLogs: what the files of an incident say, each recognised by its lines: one of redis-cli MONITOR, and any
// number of applications' logs, one for each worker.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "real/services/redis/monitor_line.hpp"

namespace lockproof::execution {

struct LogText {
  std::string path, text;
};

/// What an application's line contains where its worker is inside, and where its work has ended and the lock is not yet
/// released. Empty: words that many programs use.
struct LinePatterns {
  std::string enters, leaves;
};

/// What an application's line says of the lock.
enum class LineKind : std::uint8_t { nothing, enters, leaves, released };

struct WorkerLine {
  int number = 0;                            // in its file
  std::int64_t at_us = 0, precision_us = 1;  // by the worker's clock
  LineKind kind = LineKind::nothing;
};

struct WorkerLog {
  std::string name;  // the file's, without folder and ending
  std::vector<WorkerLine> lines;
};

struct MonitorRecord {
  int number = 0;  // of its line
  real::MonitorLine line;
};

struct IncidentLogs {
  std::string monitor_path;
  std::vector<MonitorRecord> monitor;
  std::vector<WorkerLog> workers;
};

/// Throws InputError: a file is neither, or there is not one log of MONITOR.
[[nodiscard]] IncidentLogs read_logs(const std::vector<LogText>& files, const LinePatterns& patterns);

}  // namespace lockproof::execution
