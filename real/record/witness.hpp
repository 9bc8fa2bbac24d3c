// SPDX-License-Identifier: Apache-2.0
// Witness: is notified of everything that crosses a store's connection, at that moment. A client's journal is a
// witness, and places faults there; the base class does nothing.
#pragma once

#include <optional>
#include <string>

#include "algorithms/port/command.hpp"
#include "algorithms/port/instant.hpp"
#include "algorithms/port/pinned_object.hpp"
#include "harness/history/event.hpp"

namespace lockproof::real {

/// A command on a connection: the TCP port of its end here, and the command's number on it, from 1.
struct Place {
  harness::HostIndex server;
  int port;
  int number;
};

/// A command is sent again for its call, if that has not ended by then.
struct Repetition {
  std::optional<Duration> after{};  // its sending; nothing: when its call times out
  bool loses_reply = true;          // the first reply is discarded as if it had been lost
  bool same_connection = true;
};

class Witness : public PinnedObject {
 public:
  virtual ~Witness() = default;
  /// A command is about to leave. The process may be stopped in here, or end, or the task that sends it be destroyed.
  /// Answers how to send it again.
  virtual std::optional<Repetition> leaving(const Place& /*place*/, const Command& /*command*/) { return {}; }
  /// The last command to the server that was to be sent again leaves again now.
  virtual void leaving_again(harness::HostIndex /*server*/) {}
  /// Whether a pool gives this command another connection to the server; asked once, as the command leaves. It does so
  /// later, if it cannot now.
  [[nodiscard]] virtual bool takes_another(harness::HostIndex /*server*/) { return false; }
  virtual void takes_another_later(harness::HostIndex /*server*/) {}
  virtual void sent(const Place& /*place*/, int /*message*/, const Command& /*command*/) {}
  /// A reply has arrived and has not been passed on yet. The process may be stopped in here, or end.
  virtual void arrived(const Place& /*place*/, const Command& /*command*/) {}
  virtual void received(harness::HostIndex /*server*/, int /*message*/, const Reply& /*reply*/) {}
  virtual void discarded(harness::HostIndex /*server*/, int /*message*/, const Reply& /*reply*/) {}
  virtual void timed_out(harness::HostIndex /*server*/, int /*message*/) {}
  /// A reply came and is discarded as if it had been lost.
  virtual void lost(harness::HostIndex /*server*/, int /*message*/) {}
  /// The server refused the connection.
  virtual void refused(harness::HostIndex /*server*/, int /*message*/) {}
  /// The connection to the server has ended, and this side did not close it.
  virtual void broken(harness::HostIndex /*server*/) {}
  /// A message came on a channel that was subscribed to.
  virtual void news(harness::HostIndex /*server*/, const std::string& /*channel*/) {}
};

}  // namespace lockproof::real
