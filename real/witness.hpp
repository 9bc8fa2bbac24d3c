// SPDX-License-Identifier: Apache-2.0
// Witness: whoever wants to know what crosses a store's connection, at the moment when it does. A client's journal is
// one, and places faults there; by itself it does nothing.
#pragma once

#include "algorithms/port/command.hpp"
#include "algorithms/port/pinned.hpp"
#include "harness/history/event.hpp"

namespace lockproof::real {

class Witness : public Pinned {
 public:
  virtual ~Witness() = default;
  /// A connection was opened; its end here has this TCP port (0: a Unix socket).
  virtual void connected(harness::HostIndex /*server*/, int /*port*/) {}
  /// A command is about to leave. The process may be stopped in here, or end.
  virtual void leaving(const Command& /*command*/) {}
  virtual void sent(harness::HostIndex /*server*/, int /*message*/, const Command& /*command*/) {}
  /// A reply has arrived and nobody has seen it. The process may be stopped in here, or end.
  virtual void arrived(const Command& /*command*/) {}
  virtual void received(harness::HostIndex /*server*/, int /*message*/, const Reply& /*reply*/) {}
  virtual void discarded(harness::HostIndex /*server*/, int /*message*/, const Reply& /*reply*/) {}
  virtual void timed_out(harness::HostIndex /*server*/, int /*message*/) {}
};

}  // namespace lockproof::real
