// SPDX-License-Identifier: Apache-2.0
// The records that a client process writes in its ledger: events, and when the machine was late. Their bytes are in
// this machine's format and not kept: the supervisor makes a history of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "harness/history/event.hpp"

namespace lockproof::real {

/// An event, and the number that orders it among all processes. For a `send` also the TCP port of the client's end, and
/// the command's number on that connection.
struct NotedEvent {
  std::uint64_t sequence = 0;
  int port = 0, on_connection = 0;
  harness::Event event;
  bool operator==(const NotedEvent&) const = default;
};

/// Something happened later than it was due, in machine nanoseconds.
struct NotedLateness {
  std::int64_t due_ns = 0, now_ns = 0;
  bool operator==(const NotedLateness&) const = default;
};

using ClientRecord = std::variant<NotedEvent, NotedLateness>;

/// Writes it into `bytes`, over what was there.
void to_bytes(const NotedEvent& noted, std::string& bytes);
void to_bytes(const NotedLateness& noted, std::string& bytes);
/// Throws std::out_of_range if these bytes are no record.
[[nodiscard]] ClientRecord record_from(std::string_view bytes);

}  // namespace lockproof::real
