// SPDX-License-Identifier: Apache-2.0
// Execution: what a server did, as whoever watched it says: the evidence by which a real run knows who held the lock.
// How it is got is the service's affair: Redis shows it over MONITOR; where a server shows nothing of the kind, it is
// made of the messages that pass the proxy.
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
  int port = 0;   // of the other end of the connection that it came on
  std::vector<Value> words{};
  std::vector<harness::Effect> effects{};  // what became of keys, by this command or before it
  /// Set where the evidence does not have the words: it is the next command on its connection, and this tells what
  /// became of keys by it.
  std::function<std::vector<harness::Effect>(const Command&)> effects_of{};
  std::string mark{};   // not empty: no command, but the place where something was done to the server under this name
  bool upkeep = false;  // what servers say to each other to hold a connection: nothing that is replicated
};

}  // namespace lockproof::real
