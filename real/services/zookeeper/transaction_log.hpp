// SPDX-License-Identifier: Apache-2.0
// A server's transaction log: every change that it has made, in its order, and which session asked for it. The server
// writes a change there before it answers. Its ends of sessions are there, too, for which nobody asked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockproof::real {

struct Transaction {
  enum class Kind : std::uint8_t { other, opens, ends, creates, deletes };
  Kind kind = Kind::other;
  std::int64_t id = 0;
  std::int64_t session = 0;
  std::int64_t wall_ms = 0;  // when it began, by the server's wall clock
  std::string node{};        // of one that creates or deletes: its name without the slash before it
  bool ephemeral = false;
  bool operator==(const Transaction&) const = default;
};

/// The transactions in the bytes of one file, up to its end or to what is not whole.
[[nodiscard]] std::vector<Transaction> transactions_in(std::string_view bytes);
/// Those of all log files in this folder, in the server's order.
[[nodiscard]] std::vector<Transaction> transactions_of(const std::string& folder);

}  // namespace lockproof::real
