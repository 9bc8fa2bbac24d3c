// SPDX-License-Identifier: Apache-2.0
// ServerModel: what a simulated server does with one command. A server is not always Redis.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/pinned.hpp"
#include "harness/history/event.hpp"

namespace lockproof::sim {

/// A command as it arrives: on which connection (a number that is the connection's own for its life), and what the
/// server's wall clock shows.
struct Request {
  int connection;
  const Command& command;
  std::int64_t now_ms;
};

/// A message that a server sends by itself, to a connection that subscribed.
struct Push {
  int connection;
  Reply message;
};

struct Executed {
  Reply reply;
  std::vector<harness::Effect> effects{};  // on keys, for the history
  std::vector<Push> pushes{};
  std::vector<Command> propagated{};  // what replicas are to run, in order, with absolute expiry times
  bool waits = false;                 // it runs, and its reply comes later
  bool postponed = false;             // it has not run: to be given again later
};

class ServerModel : public Pinned {
 public:
  virtual ~ServerModel() = default;
  /// Runs one command, atomically, in no time.
  virtual Executed execute(const Request& request) = 0;
  /// The connection is gone: its subscriptions, its transaction and its watches with it.
  virtual void disconnected(int /*connection*/) {}
};

}  // namespace lockproof::sim
