// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/node.hpp"

#include <utility>

namespace lockproof::sim::redis {

Executed Node::execute(const Request& request) {
  Executed executed{Reply::nil()};
  Scene at = scene(executed, request.now_ms, request.connection);
  executed.reply = redis::execute(at, request.command.words());
  if (state_.replica) executed.propagated.clear();  // its own replicas get what its master sends
  return executed;
}

Executed Node::apply(const Command& command, std::int64_t now_ms) {
  Executed executed{Reply::nil()};
  Scene at{state_, engine_, executed, now_ms, nobody, true};
  executed.reply = execute_from_master(at, command.words());
  state_.sessions.close(nobody);
  return executed;
}

std::vector<harness::Effect> Node::restore(Dataset keys, std::int64_t now_ms) {
  Executed executed{Reply::nil()};
  scene(executed, now_ms, nobody).replace_all(std::move(keys));
  return executed.effects;
}

std::vector<harness::Effect> Node::restart(Dataset keys, std::int64_t now_ms) {
  state_.sessions = {};
  state_.scripts.clear();
  return restore(std::move(keys), now_ms);
}

Executed Node::evict(const std::string& key, std::int64_t now_ms) {
  Executed executed{Reply::nil()};
  if (!state_.keys.contains(key)) return executed;
  scene(executed, now_ms, nobody).erase(key, "evicted");
  executed.propagated.push_back(Command({"DEL", key}));
  return executed;
}

Executed Node::flush(std::int64_t now_ms) {
  Executed executed{Reply::nil()};
  scene(executed, now_ms, nobody).replace_all({});
  executed.propagated.push_back(Command({"FLUSHALL"}));
  return executed;
}

NodeState Node::declared(std::int64_t now_ms, harness::Renamer& renamer, const std::map<int, int>& connections) const {
  NodeState state{.scripts = state_.scripts, .replica = state_.replica};
  state.keys = state_.keys.declared(now_ms, renamer);
  state.sessions = state_.sessions.declared(now_ms, renamer, connections);
  return state;
}

}  // namespace lockproof::sim::redis
