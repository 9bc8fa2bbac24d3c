// SPDX-License-Identifier: Apache-2.0
// The commands that a simulated node knows, as a table: verb, arity, effect. One line and one function for each.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "algorithms/port/command.hpp"
#include "sim/redis/keyspace.hpp"

namespace lockproof::sim::redis {

class ScriptEngine;

/// What a command works on.
struct Scene {
  Keyspace& keys;
  const Now& now;
  ScriptEngine& scripts;
};

using Words = std::vector<Value>;

struct CommandRule {
  std::string_view verb;  // upper case
  int arity;              // number of words, the verb included; negative: at least that many
  bool in_scripts;        // may a script call it
  Reply (*run)(Scene& scene, const Words& words);
};

[[nodiscard]] std::span<const CommandRule> command_table();

/// Runs one command, looking it up as Redis does: case does not matter, and the arity is checked first.
Reply execute(Scene& scene, const Words& words, bool in_script = false);

}  // namespace lockproof::sim::redis
