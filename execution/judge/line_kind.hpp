// SPDX-License-Identifier: Apache-2.0
// LineKind: what a line of an application's log, or an event of it, says of the lock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockproof::execution {

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
  std::string name;  // the worker's; of a file of one worker, that without folder and ending
  std::vector<WorkerLine> lines;
};

[[nodiscard]] LineKind kind_of(std::string_view said, const LinePatterns& patterns);
/// The same of a column that tells of the lock and of nothing else: it need not be named there.
[[nodiscard]] LineKind kind_of_event(std::string_view event, const LinePatterns& patterns);

/// In the order of their times. What speaks of an end and follows no entry is about something else.
void order_lines(std::vector<WorkerLine>& lines);
/// The worker's; a new one if there is none.
[[nodiscard]] WorkerLog& log_of(std::vector<WorkerLog>& logs, const std::string& name);

}  // namespace lockproof::execution
