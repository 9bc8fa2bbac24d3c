// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/lines/csv_log.hpp"

#include <algorithm>
#include <array>

#include "execution/judge/lines/stamped_line.hpp"
#include "harness/input_error.hpp"

namespace lockproof::execution {
namespace {

constexpr std::array<std::string_view, 4> times{"time", "timestamp", "ts", "at"};
constexpr std::array<std::string_view, 6> workers{"worker", "host", "client", "instance", "process", "pod"};
constexpr std::array<std::string_view, 6> lock_columns{"lock", "lock_name", "lock_key", "key", "mutex", "name"};
constexpr std::array<std::string_view, 4> events{"event", "message", "state", "action"};

/// Fields with commas between them; quotes around one may hold commas, and two of them are one.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[i++];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  for (std::string& field : fields) {
    while (field.ends_with(' ')) field.pop_back();
    field.erase(0, std::min(field.find_first_not_of(' '), field.size()));
  }
  return fields;
}

template <std::size_t count>
std::optional<std::size_t> column_of(const std::vector<std::string>& head,
                                     const std::array<std::string_view, count>& names) {
  for (const std::string_view name : names) {
    const auto column = std::ranges::find_if(head, [&](const std::string& field) {
      return std::ranges::equal(field, name, [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
    });
    if (column != head.end()) return static_cast<std::size_t>(column - head.begin());
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<WorkerLog>> workers_of_csv(const std::string& path,
                                                     const std::vector<std::string_view>& lines,
                                                     const LinePatterns& patterns) {
  if (lines.empty()) return std::nullopt;
  const std::vector<std::string> head = fields_of(lines.front());
  const auto time = column_of(head, times), worker = column_of(head, workers), event = column_of(head, events);
  const auto lock = column_of(head, lock_columns);
  if (!time || !worker || !event) return std::nullopt;
  std::vector<WorkerLog> logs;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const int number = static_cast<int>(i) + 1;
    const std::vector<std::string> fields = fields_of(lines[i]);
    if (fields.size() < head.size()) throw harness::InputError(path, number, "has fewer fields than the first line");
    const auto at = stamped_line_from(fields[*time]);
    if (!at || !at->text.empty()) {
      throw harness::InputError(path, number, "its time is none, as 2026-01-31T23:59:59.123Z or 1770000000.123 is");
    }
    WorkerLog& log = log_of(logs, fields[*worker]);
    log.names_locks = lock.has_value();
    WorkerLine line{number, at->at_us, at->precision_us, kind_of_event(fields[*event], patterns)};
    if (lock) {
      line.lock = fields[*lock];
    } else if (line.kind != LineKind::nothing) {
      name_lock(line, fields[*event], log.name);
    }
    log.lines.push_back(std::move(line));
  }
  for (WorkerLog& log : logs) order_lines(log.lines);
  return logs;
}

}  // namespace lockproof::execution
