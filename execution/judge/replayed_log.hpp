// SPDX-License-Identifier: Apache-2.0
// ReplayedLog: what a server's commands did to its keys. MONITOR prints commands without replies, so the simulated
// server runs them again, by the log's times; of a script it runs the calls that MONITOR prints, not the script.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/service.hpp"
#include "execution/judge/incident_logs.hpp"
#include "harness/history/event.hpp"

namespace lockproof::execution {

struct ServerExecution {
  std::int64_t at_us = 0;  // by the server's clock
  int line = 0;            // of the log
  int database = 0;
  int connection = 0;  // position in ReplayedLog::connections
  std::vector<Value> words;
  std::vector<std::vector<Value>> calls{};  // of a script
  std::vector<harness::Effect> effects{};
  std::optional<Reply> reply{};  // a script's is not known
  bool sure = true;              // false: it rests on what was before the log, or on a millisecond of an expiry
  std::string lacks{};           // what the simulated server does not have of it
};

struct ReplayedLog {
  std::vector<std::string> connections;  // their clients' addresses, by order of first sight
  std::vector<ServerExecution> executions;
  std::int64_t begin_us = 0, end_us = 0;
  Service service = Service::redis;
  std::int64_t precision_us = 0;  // an execution was at most so much later
  std::string lacks{};            // what is not followed, so that nothing is certain; empty: nothing
};

/// So near the end of its lease a key may be there or not.
inline constexpr std::int64_t doubt_us = 2000;

[[nodiscard]] ReplayedLog replay_log(const std::vector<MonitorRecord>& monitor);

[[nodiscard]] std::string upper_case(std::string_view word);
/// What a command has in common with others of its sort: verb and options, or a script's SHA-1; no keys, no values.
[[nodiscard]] std::string form_of(const std::vector<Value>& words);
/// Whether the command, or a call of its script, has this word.
[[nodiscard]] bool names_word(const ServerExecution& execution, const std::string& word);
[[nodiscard]] bool has_change(const ServerExecution& execution, const std::string& key,
                              std::initializer_list<harness::Change> any_of);

}  // namespace lockproof::execution
