// SPDX-License-Identifier: Apache-2.0
// Node: one simulated Redis server: its keys, and the engine for scripts that it shares with the others.
#pragma once

#include "sim/redis/commands.hpp"
#include "sim/redis/script_engine.hpp"
#include "sim/world/server_model.hpp"

namespace lockproof::sim::redis {

class Node final : public ServerModel {
 public:
  explicit Node(ScriptEngine& scripts) : scripts_(scripts) {}

  Reply execute(const Command& command, std::int64_t now_ms, std::vector<harness::Effect>* effects) override {
    const Now now{now_ms, effects};
    Scene scene{keys_, now, scripts_};
    return redis::execute(scene, command.words());
  }
  [[nodiscard]] const Keyspace& keys() const { return keys_; }

 private:
  ScriptEngine& scripts_;
  Keyspace keys_;
};

}  // namespace lockproof::sim::redis
