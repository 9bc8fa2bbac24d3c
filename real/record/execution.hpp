// SPDX-License-Identifier: Apache-2.0
// Execution: what a server did, as observed: the evidence by which a real run knows which client held the lock. Each
// service obtains it in its own way: Redis reports it over MONITOR; for a server without such a report, it is derived
// from the messages that pass the proxy.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "algorithms/port/command.hpp"
#include "harness/history/event.hpp"

namespace lockproof::real {

/// A command that a server ran. Their order in a list is the order in which they ran.
struct Execution {
  Duration at{};  // scenario time, by the server's own stamp or when its reply was seen
  int port = 0;   // port of the other end of its connection
  std::vector<Value> words{};
  std::vector<harness::Effect> effects{};  // changes of keys by this command or before it
  /// Set where the evidence lacks the command's words: the execution is then that of the next command on its
  /// connection, and this function derives its effects on keys.
  std::function<std::vector<harness::Effect>(const Command&)> effects_of{};
  /// Not empty: not a command, but what the server did by itself for the client of this connection: "disconnect", when
  /// it has read the connection's end, "session-end" or "turn".
  std::string act{};
  std::string mark{};   // not empty: not a command, but the place of an action on the server with this name
  bool upkeep = false;  // traffic between servers that keeps a connection alive; it is not replicated
};

}  // namespace lockproof::real
