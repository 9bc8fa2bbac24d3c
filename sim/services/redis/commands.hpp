// SPDX-License-Identifier: Apache-2.0
// The commands that a simulated node knows, as a table: verb, arity, flags, effect. One line and one function for each.
#pragma once

#include <span>
#include <string_view>

#include "algorithms/port/command.hpp"
#include "sim/services/redis/scene.hpp"

namespace lockproof::sim::redis {

struct CommandRule {
  std::string_view verb;  // upper case; a subcommand after a blank
  int arity;              // number of words, the verb included; negative: at least that many
  bool in_scripts;        // may a script call it
  bool writes;            // a read-only replica refuses it
  Reply (*run)(Scene& scene, const Words& words);
};

/// In the order of the verbs.
[[nodiscard]] std::span<const CommandRule> command_table();

/// Runs a command that came over a connection (server.c, processCommand): case does not matter; arity, role,
/// subscriptions are checked in this order; a paused node postpones it; inside a transaction it is queued.
Reply execute(Scene& scene, const Words& words);

/// Runs a command for a script, or one that a replica got from its master: transactions are not looked at.
Reply execute_from_script(Scene& scene, const Words& words);
Reply execute_from_master(Scene& scene, const Words& words);

/// Runs a command that was queued, at EXEC.
Reply execute_queued(Scene& scene, const Words& words);

}  // namespace lockproof::sim::redis
