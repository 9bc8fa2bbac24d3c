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

  Executed execute(const Request& request) override {
    Executed executed{Reply::nil()};
    const Now now{request.now_ms, &executed.effects};
    Scene scene{keys_, now, scripts_};
    executed.reply = redis::execute(scene, request.command.words());
    return executed;
  }
  [[nodiscard]] const Keyspace& keys() const { return keys_; }

 private:
  ScriptEngine& scripts_;
  Keyspace keys_;
};

}  // namespace lockproof::sim::redis
