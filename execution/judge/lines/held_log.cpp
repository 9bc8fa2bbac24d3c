// SPDX-License-Identifier: Apache-2.0
#include "execution/judge/lines/held_log.hpp"

#include <filesystem>

#include "execution/judge/lines/stamped_line.hpp"
#include "harness/input_error.hpp"

namespace lockproof::execution {

std::vector<WorkerLog> workers_of_held(const std::string& path, const std::vector<std::string_view>& lines,
                                       const HeldPattern& pattern, const LinePatterns& patterns) {
  std::vector<WorkerLog> logs;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto held = pattern.match(lines[i]);
    if (!held) continue;
    const int number = static_cast<int>(i) + 1;
    const auto at = stamped_line_from(held->time.empty() ? lines[i] : std::string_view(held->time));
    if (!at) throw harness::InputError(path, number, "it fits --held, and has no time in its group time or in front");
    const LineKind kind = held->event.empty() ? LineKind::enters : kind_of_event(held->event, patterns);
    const std::string worker = held->worker.empty() ? std::filesystem::path(path).stem().string() : held->worker;
    WorkerLog& log = log_of(logs, worker);
    log.lines.push_back({number, at->at_us, at->precision_us, kind, held->lock, ""});
    log.names_locks |= !held->lock.empty();
  }
  for (WorkerLog& log : logs) order_lines(log.lines);
  return logs;
}

}  // namespace lockproof::execution
