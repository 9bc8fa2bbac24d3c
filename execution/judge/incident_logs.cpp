// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/incident_logs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include "execution/judge/stamped_line.hpp"
#include "harness/input_error.hpp"

namespace lockproof::execution {
namespace {

constexpr const char* kinds_of_logs =
    "judge reads what redis-cli MONITOR prints, and lines that begin with a time, as 2026-01-31T23:59:59.123 or "
    "1770000000.123; logs of other services, spans and CSV are not read yet";

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lowered;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view one) { return text.find(one) != std::string_view::npos; });
}

bool is_word_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

bool has_word(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
      const auto end = at + word.size();
      if ((at == 0 || !is_word_character(text[at - 1])) && (end == text.size() || !is_word_character(text[end])))
        return true;
    }
    return false;
  });
}

/// A line that speaks of a lock that was not got must never count as an entry.
LineKind kind_of(std::string_view said, const LinePatterns& patterns) {
  const std::string text = lower(said);
  const bool denies = has_any(text, {"n't", "fail", "another", "wait", "retry", "trying", "timeout", "timed out",
                                     "lost", "error", "unable", "already", "expired"}) ||
                      has_word(text, {"not", "no", "never", "nobody", "could", "will", "cannot"});
  const bool enters = patterns.enters.empty()
                          ? !denies && has_word(text, {"got", "acquired", "obtained"}) && has_any(text, {"lock"})
                          : said.find(patterns.enters) != std::string_view::npos;
  if (enters) return LineKind::enters;
  const bool leaves = patterns.leaves.empty()
                          ? !denies && has_word(text, {"done", "finished", "completed", "releasing"})
                          : said.find(patterns.leaves) != std::string_view::npos;
  if (leaves) return LineKind::leaves;
  return has_word(text, {"released"}) || has_any(text, {"release failed"}) ? LineKind::released : LineKind::nothing;
}

/// What speaks of an end and follows no entry is about something else.
void drop_ends_without_entry(std::vector<WorkerLine>& lines) {
  bool inside = false;
  for (WorkerLine& line : lines) {
    if (line.kind == LineKind::enters) inside = true;
    if (!inside) line.kind = LineKind::nothing;
    if (line.kind == LineKind::released) inside = false;
  }
}

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
  WorkerLog log{std::filesystem::path(path).stem().string(), {}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto line = stamped_line_from(lines[i]);
    if (!line) continue;  // a stack trace, or the rest of a long message
    log.lines.push_back({static_cast<int>(i) + 1, line->at_us, line->precision_us, kind_of(line->text, patterns)});
  }
  drop_ends_without_entry(log.lines);
  return log;
}

}  // namespace

IncidentLogs read_logs(const std::vector<LogText>& files, const LinePatterns& patterns) {
  IncidentLogs logs;
  for (const LogText& file : files) {
    const std::vector<std::string_view> lines = lines_of(file.text);
    const auto first = std::ranges::find_if_not(lines, says_nothing);
    if (first == lines.end()) throw harness::InputError(file.path, 0, "there is nothing in it");
    if (real::monitor_line_from(*first)) {
      if (!logs.monitor.empty()) {
        throw harness::InputError(file.path, 0, "a second log of MONITOR: judge reads the log of one server");
      }
      logs.monitor_path = file.path;
      logs.monitor = monitor_in(file.path, lines);
      continue;
    }
    WorkerLog log = worker_in(file.path, lines, patterns);
    if (log.lines.empty()) {
      throw harness::InputError(file.path, static_cast<int>(first - lines.begin()) + 1, kinds_of_logs);
    }
    const bool known = std::ranges::find(logs.workers, log.name, &WorkerLog::name) != logs.workers.end();
    if (known) throw harness::InputError(file.path, 0, fmt::format("another log is of {}, too", log.name));
    logs.workers.push_back(std::move(log));
  }
  if (logs.monitor.empty()) {
    throw harness::InputError(files.front().path, 0,
                              "judge needs what redis-cli MONITOR printed meanwhile, besides the workers' logs");
  }
  return logs;
}

}  // namespace lockproof::execution
