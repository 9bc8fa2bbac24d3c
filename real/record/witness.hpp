// SPDX-License-Identifier: Apache-2.0
// Witness: whoever wants to know what crosses a store's connection, at the moment when it does. A client's journal is
// one, and places faults there; by itself it does nothing.
#pragma once

#include <optional>
#include <string>

#include "algorithms/port/command.hpp"
#include "algorithms/port/instant.hpp"
#include "algorithms/port/pinned.hpp"
#include "harness/history/event.hpp"

namespace lockproof::real {

/// A command on a connection: the TCP port of its end here, and the command's number on it, from 1.
struct Place {
  harness::HostIndex server;
  int port;
  int number;
};

class Witness : public Pinned {
 public:
  virtual ~Witness() = default;
  /// A command is about to leave. The process may be stopped in here, or end, or the task that sends it be destroyed.
  /// Answers after how long to send it again if there is no reply by then.
  virtual std::optional<Duration> leaving(const Place& /*place*/, const Command& /*command*/) { return {}; }
  virtual void sent(const Place& /*place*/, int /*message*/, const Command& /*command*/) {}
  /// A reply has arrived and nobody has seen it. The process may be stopped in here, or end.
  virtual void arrived(const Place& /*place*/, const Command& /*command*/) {}
  virtual void received(harness::HostIndex /*server*/, int /*message*/, const Reply& /*reply*/) {}
  virtual void discarded(harness::HostIndex /*server*/, int /*message*/, const Reply& /*reply*/) {}
  virtual void timed_out(harness::HostIndex /*server*/, int /*message*/) {}
  /// A reply came and is thrown away as if it had not.
  virtual void lost(harness::HostIndex /*server*/, int /*message*/) {}
  /// Nobody listens at the server.
  virtual void refused(harness::HostIndex /*server*/, int /*message*/) {}
  /// The connection to the server has ended, and not by us.
  virtual void broken(harness::HostIndex /*server*/) {}
  /// A message came on a channel that was subscribed to.
  virtual void news(harness::HostIndex /*server*/, const std::string& /*channel*/) {}
};

}  // namespace lockproof::real
