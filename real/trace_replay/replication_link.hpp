// SPDX-License-Identifier: Apache-2.0
// ReplicationLink: stands between a master and its replica, and acts as the replica of the one and the master of the
// other. Commands of the master are handed on one at a time, byte for byte, and only on request; a command has run at
// the replica when it is handed on. The MULTI and EXEC around the commands of one script are left out, so that each
// command can be the last one that is passed on.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "real/trace_replay/wire.hpp"

namespace lockproof::real {

class ReplicationLink : public PinnedObject {
 public:
  /// The port at which the replica is to find its master.
  [[nodiscard]] int port() const { return listener_.port(); }
  /// Becomes a replica of the master: gets a full copy, and from here on all commands that the master runs. This
  /// function and those below throw LostConnection.
  void follow(int master_port);
  [[nodiscard]] bool follows() const { return master_ != nullptr; }
  /// Hands the copy to the replica, which must have been told to connect here.
  void hand_over_copy();
  /// Hands on the next command, and returns it.
  [[nodiscard]] std::vector<Value> pass_one();
  /// Acknowledges to the master everything handed on so far.
  void acknowledge();
  /// Sets how long it waits for its master's messages from here on.
  void set_time_allowed(int ms) { master_->set_time_allowed(ms); }

 private:
  [[nodiscard]] std::string next_from_master();
  void hand(std::string_view message);
  void await_replica();

  Listener listener_;
  std::unique_ptr<Wire> master_, replica_;
  std::string full_resync_, copy_;  // the master's reply, and the file behind it
  // Replication offsets of master and replica: behind the last message read, and behind the last one handed on.
  std::int64_t read_ = 0, handed_ = 0;
};

}  // namespace lockproof::real
