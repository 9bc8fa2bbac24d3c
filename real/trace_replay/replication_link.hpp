// SPDX-License-Identifier: Apache-2.0
// ReplicationLink: stands between a master and its replica, to the one as a replica, to the other as its master. What
// the master sends is handed on one command at a time, byte for byte, and only when told to; a command has run at the
// replica when it is handed on. What wraps commands (MULTI and EXEC around those of one script) is left out, so that
// each of them can be the last that comes through.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "real/trace_replay/wire.hpp"

namespace lockproof::real {

class ReplicationLink : public Pinned {
 public:
  /// Where the replica is to look for its master.
  [[nodiscard]] int port() const { return listener_.port(); }
  /// Becomes a replica of the master: gets a copy of everything, and from here on all that this one runs. This and the
  /// others throw Lost.
  void follow(int master_port);
  [[nodiscard]] bool follows() const { return master_ != nullptr; }
  /// Hands the copy to the replica, which was told to come here.
  void hand_over_copy();
  /// Hands on the next command, and answers which it was.
  [[nodiscard]] std::vector<Value> pass_one();
  /// Tells the master that all is there that was handed on up to now.
  void acknowledge();
  /// How long it waits for what its master does not send, from here on.
  void set_time_allowed(int ms) { master_->set_time_allowed(ms); }

 private:
  [[nodiscard]] std::string next_from_master();
  void hand(std::string_view message);
  void await_replica();

  Listener listener_;
  std::unique_ptr<Wire> master_, replica_;
  std::string full_resync_, copy_;  // the master's words, and the file behind them
  // Offsets, counted as the two count them: behind the last message that was read, and behind what was handed on.
  std::int64_t read_ = 0, handed_ = 0;
};

}  // namespace lockproof::real
