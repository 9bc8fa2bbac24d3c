// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/incident_logs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "execution/judge/lines/csv_log.hpp"
#include "execution/judge/lines/held_log.hpp"
#include "execution/judge/lines/span_log.hpp"
#include "execution/judge/lines/stamped_line.hpp"
#include "execution/judge/postgres_log.hpp"
#include "harness/input_error.hpp"

namespace lockproof::execution {
namespace {

constexpr const char* kinds_of_logs =
    "judge reads what redis-cli MONITOR prints, and lines that begin with a time, as 2026-01-31T23:59:59.123 or "
    "1770000000.123, CSV with the columns time, worker and event, spans of OpenTelemetry as OTLP JSON, the log of a "
    "PostgreSQL server, and lines that fit --held";

constexpr const char* second_server = "a second log of a server: judge reads the log of one";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool says_nothing(std::string_view line) { return line.empty() || line == "OK"; }

/// The last line may be cut where the program was stopped.
std::vector<MonitorRecord> monitor_in(const std::string& path, const std::vector<std::string_view>& lines) {
  std::vector<MonitorRecord> records;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (says_nothing(lines[i])) continue;
    auto line = real::monitor_line_from(lines[i]);
    const int number = static_cast<int>(i) + 1;
    if (!line && i + 1 == lines.size()) break;
    if (!line) throw harness::InputError(path, number, "this is no line of redis-cli MONITOR, as the others are");
    if (!records.empty() && line->stamp_us < records.back().line.stamp_us) {
      throw harness::InputError(path, number,
                                "its time is before that of the line above: the server's clock was set back, "
                                "or these are the lines of two servers; judge them one by one");
    }
    records.push_back({number, std::move(*line)});
  }
  return records;
}

WorkerLog worker_in(const std::string& path, const std::vector<std::string_view>& lines, const LinePatterns& patterns) {
  WorkerLog log{.name = std::filesystem::path(path).stem().string(), .lines = {}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto line = stamped_line_from(lines[i]);
    if (!line) continue;  // a stack trace, or the rest of a long message
    WorkerLine entry{static_cast<int>(i) + 1, line->at_us, line->precision_us, kind_of(line->text, patterns)};
    entry.also_released = entry.kind == LineKind::leaves && tells_release(line->text);
    if (entry.kind != LineKind::nothing) name_lock(entry, line->text, log.name);
    log.lines.push_back(std::move(entry));
  }
  order_lines(log.lines);
  return log;
}

std::vector<WorkerLog> workers_in(const LogText& file, const std::vector<std::string_view>& lines,
                                  const LinePatterns& patterns) {
  if (!patterns.held.empty()) {
    std::vector<WorkerLog> held = workers_of_held(file.path, lines, HeldPattern(patterns.held), patterns);
    if (held.empty()) throw harness::InputError(file.path, 0, "no line of it fits --held");
    return held;
  }
  if (auto spans = workers_of_spans(file.path, file.text, patterns)) return std::move(*spans);
  if (auto table = workers_of_csv(file.path, lines, patterns)) return std::move(*table);
  return {worker_in(file.path, lines, patterns)};
}

}  // namespace

IncidentLogs read_logs(const std::vector<LogText>& files, const LinePatterns& patterns) {
  IncidentLogs logs;
  for (const LogText& file : files) {
    const std::vector<std::string_view> lines = lines_of(file.text);
    const auto first = std::ranges::find_if_not(lines, says_nothing);
    if (first == lines.end()) throw harness::InputError(file.path, 0, "there is nothing in it");
    if (real::monitor_line_from(*first)) {
      if (!logs.server_path.empty()) throw harness::InputError(file.path, 0, second_server);
      logs.server_path = file.path;
      logs.monitor = monitor_in(file.path, lines);
      continue;
    }
    if (auto postgres = patterns.held.empty() ? postgres_lines_in(lines) : std::nullopt) {
      if (!logs.server_path.empty()) throw harness::InputError(file.path, 0, second_server);
      logs.server_path = file.path;
      logs.postgres = std::move(*postgres);
      continue;
    }
    std::vector<WorkerLog> workers = workers_in(file, lines, patterns);
    if (workers.empty() || workers.front().lines.empty()) {
      throw harness::InputError(file.path, static_cast<int>(first - lines.begin()) + 1, kinds_of_logs);
    }
    for (WorkerLog& log : workers) {
      const bool known = std::ranges::find(logs.workers, log.name, &WorkerLog::name) != logs.workers.end();
      if (known) throw harness::InputError(file.path, 0, fmt::format("another log is of {}, too", log.name));
      logs.workers.push_back(std::move(log));
    }
  }
  if (logs.server_path.empty() && logs.workers.size() < 2) {
    throw harness::InputError(files.front().path, 0,
                              "judge needs the logs of two workers at least, or one and what the server logged");
  }
  return logs;
}

}  // namespace lockproof::execution
