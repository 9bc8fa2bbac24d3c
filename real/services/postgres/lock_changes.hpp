// SPDX-License-Identifier: Apache-2.0
// What statements did to locks, derived from what passed the proxy: statements, their replies, and ends of connections.
// Replies are seen a little later than the server acts, and a lock that is freed on one connection may be seen taken on
// another before the reply that frees it. The server gives no lock to two, so the statement that freed it ran before.
#pragma once

#include <string>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/instant.hpp"
#include "harness/history/event.hpp"

namespace lockproof::real {

/// A statement that was answered, or the end of a connection.
struct Observation {
  Duration at{};  // when it was seen
  int port = 0;   // of the client's end
  Command command{std::vector<Value>{}};
  Reply reply = Reply::nil();
  bool ended = false;        // the connection's end, and no statement
  std::int64_t wall_ms = 0;  // what the server's wall clock showed then
};

/// One that was observed, with what it did.
struct ObservedChange {
  Observation observed;
  std::vector<harness::Effect> effects{};
};

/// In the order in which the server ran them.
[[nodiscard]] std::vector<ObservedChange> changes_of(std::vector<Observation> observed);

}  // namespace lockproof::real
