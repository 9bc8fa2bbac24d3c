// SPDX-License-Identifier: Apache-2.0
// IncidentLogs: what the files of an incident say, each recognised by its content: one of redis-cli MONITOR or of a
// PostgreSQL server, and any number of applications' logs: one for each worker, or tables and spans of several.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "execution/judge/lines/line_kind.hpp"
#include "real/services/redis/monitor_line.hpp"

namespace lockproof::execution {

struct LogText {
  std::string path, text;
};

struct MonitorRecord {
  int number = 0;  // of its line
  real::MonitorLine line;
};

/// A line of a PostgreSQL server's log.
struct PostgresLine {
  int number = 0;
  std::int64_t at_us = 0;  // cut to a millisecond
  std::string process;     // the session's
  std::string database;    // empty: log_line_prefix has none
  std::string severity, text;
};

/// Of the server there is one log of one kind, or none.
struct IncidentLogs {
  std::string server_path;  // empty: there is none
  std::vector<MonitorRecord> monitor;
  std::vector<PostgresLine> postgres;
  std::vector<WorkerLog> workers;
};

/// Throws InputError: a file is none of these, or there are neither a log of a server nor two workers.
[[nodiscard]] IncidentLogs read_logs(const std::vector<LogText>& files, const LinePatterns& patterns);

}  // namespace lockproof::execution
