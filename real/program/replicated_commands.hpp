// SPDX-License-Identifier: Apache-2.0
// ReplicatedCommands: what one master has done to keys, until its replica has done the same: so a change that a look at
// the replica shows has an author there, too. A key that runs out, or is evicted, is deleted by the master alone.
#pragma once

#include <deque>
#include <vector>

#include "algorithms/port/command.hpp"
#include "harness/history/event.hpp"

namespace lockproof::real {

class ReplicatedCommands {
 public:
  struct ExecutedCommand {
    Command command;
    harness::HostIndex client;  // whose command it was; no_host: the master's own
    std::vector<harness::Effect> effects;
  };

  /// The master has run this.
  void add(const Command& command, harness::HostIndex client, const std::vector<harness::Effect>& effects);
  /// What a look at the replica has shown, by commands.
  [[nodiscard]] std::vector<ExecutedCommand> shown(const std::vector<harness::Effect>& effects);
  /// The replica has another master, or a copy of all.
  void forget() { waiting_.clear(); }

 private:
  struct PendingEffect {
    harness::Effect effect;
    Command command;
    harness::HostIndex client;
    int number;  // of the command
  };
  [[nodiscard]] std::deque<PendingEffect>::iterator next_of(const harness::Effect& effect);

  std::deque<PendingEffect> waiting_;
  int commands_ = 0;
};

}  // namespace lockproof::real
