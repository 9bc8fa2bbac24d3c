// SPDX-License-Identifier: Apache-2.0
// PostgresLog: what a PostgreSQL server's log tells of advisory locks. With log_statement = 'all' it has each statement
// as it begins, and no result, so the statements are followed: who finds a lock free gets it, who waits gets it when it
// is given back. What follows shows whether that was so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "execution/judge/replayed_log.hpp"

namespace lockproof::execution {

/// Nothing: its lines do not begin with a time and have [PID] and a severity behind it, as log_line_prefix '%m [%p] '
/// makes them.
[[nodiscard]] std::optional<std::vector<PostgresLine>> postgres_lines_in(const std::vector<std::string_view>& lines);

/// Each session is a connection. ServerExecution::lacks has what contradicts the rest, ReplayedLog::lacks what is not
/// followed: then nothing of it is certain.
[[nodiscard]] ReplayedLog replay_postgres(const std::vector<PostgresLine>& lines);

/// An advisory lock's call in a statement.
struct AdvisoryCall {
  enum class Kind : std::uint8_t { none, lock, try_lock, unlock, unlock_all, unclear };
  Kind kind = Kind::none;
  bool of_transaction = false;
  std::string key{};  // its arguments
};
/// `parameters`: the text behind "parameters: ", or empty.
[[nodiscard]] AdvisoryCall advisory_call_in(std::string_view sql, std::string_view parameters);

}  // namespace lockproof::execution
