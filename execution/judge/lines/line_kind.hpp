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
  std::string held{};  // see held_pattern.hpp; not empty: only lines that fit it count
};

/// What an application's line says of the lock.
enum class LineKind : std::uint8_t { nothing, enters, leaves, released };

struct WorkerLine {
  int number = 0;                            // in its file
  std::int64_t at_us = 0, precision_us = 1;  // by the worker's clock
  LineKind kind = LineKind::nothing;
  std::string lock{};          // as the line calls it; empty: it does not say
  std::string wording{};       // of an entry that does not say: see lock_name.hpp
  bool also_released = false;  // one line says that the work has ended, and that the lock is released
  bool of_held = false;        // the beginning of a span, which an acquire's end may tell, too
};

struct WorkerLog {
  std::string name;  // the worker's; of a file of one worker, that without folder and ending
  std::vector<WorkerLine> lines;
  bool names_locks = false;  // a column, an attribute or a group says which lock a line is of
  std::string doubt{};       // why its lines may be of several locks; empty: they are of locks that are known
};

/// Whether a line says that a lock is released, whatever else it says.
[[nodiscard]] bool tells_release(std::string_view said);

[[nodiscard]] LineKind kind_of(std::string_view said, const LinePatterns& patterns);
/// The same of a column that tells of the lock and of nothing else: it need not be named there.
[[nodiscard]] LineKind kind_of_event(std::string_view event, const LinePatterns& patterns);

/// Keeps what it says of its lock.
void name_lock(WorkerLine& line, std::string_view said, std::string_view worker);

/// In the order of their times. What speaks of an end and follows no entry is about something else. An end that names
/// no lock is of the one that its worker is in, if it is in one alone.
void order_lines(std::vector<WorkerLine>& lines);
/// The worker's; a new one if there is none.
[[nodiscard]] WorkerLog& log_of(std::vector<WorkerLog>& logs, const std::string& name);

}  // namespace lockproof::execution
