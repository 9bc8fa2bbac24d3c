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
  struct Done {
    Command command;
    harness::HostIndex client;  // whose command it was; no_host: the master's own
    std::vector<harness::Effect> effects;
  };

  /// The master has run this.
  void add(const Command& command, harness::HostIndex client, const std::vector<harness::Effect>& effects);
  /// What a look at the replica has shown, by commands.
  [[nodiscard]] std::vector<Done> shown(const std::vector<harness::Effect>& effects);
  /// The replica has another master, or a copy of all.
  void forget() { waiting_.clear(); }

 private:
  struct Waiting {
    harness::Effect effect;
    Command command;
    harness::HostIndex client;
    int number;  // of the command
  };
  [[nodiscard]] std::deque<Waiting>::iterator next_of(const harness::Effect& effect);

  std::deque<Waiting> waiting_;
  int commands_ = 0;
};

}  // namespace lockproof::real
