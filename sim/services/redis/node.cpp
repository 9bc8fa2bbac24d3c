// SPDX-License-Identifier: Apache-2.0
#include "sim/services/redis/node.hpp"

#include <algorithm>
#include <utility>

#include "harness/scenario/faults/operators.hpp"

namespace lockproof::sim::redis {

Node::Node(ScriptEngine& engine, const harness::ServerSpec& spec)
    : engine_(engine), persistence_(spec.persistence), disk_(spec.persistence, spec.unsynced) {
  set_min_replicas(spec.min_replicas_to_write);
}

NodeAnswer Node::execute(const Request& request) {
  NodeAnswer executed{Reply::nil()};
  Scene at = scene(executed, request.at.wall_ms, request.connection);
  executed.reply = redis::execute(at, request.command.args());
  if (state_.replica) executed.propagated.clear();  // its own replicas get what its master sends
  return executed;
}

NodeAnswer Node::apply(const harness::Fault& fault, const std::string& lock, const ServerTime& at) {
  if (fault.kind == harness::FaultKind::evict) return evict(lock, at.wall_ms);
  if (fault.kind == harness::FaultKind::flush) return flush(at.wall_ms);
  const auto command = harness::operators_command(fault);
  if (!command) return ServiceModel::apply(fault, lock, at);
  operate(*command, at.wall_ms);
  return {Reply::nil()};
}

std::vector<harness::Effect> Node::stop(bool without_warning, const ServerTime& at) {
  return start_anew(disk_.end(at.now, state_.keys, without_warning), at.wall_ms);
}

/// A master skips expired keys of a snapshot; from a log it reads all keys, and a replica keeps all.
void Node::restart(const ServerTime& at) {
  if (persistence_ == harness::Persistence::rdb && !state_.replica) leave_out_expired(at.wall_ms);
}

std::vector<harness::Effect> Node::load_copy(const ServerTime& at) {
  std::vector<harness::Effect> effects = restore(std::move(copy_).value(), at.wall_ms);
  copy_.reset();
  disk_.rewrite(state_.keys);
  return effects;
}

std::vector<harness::Effect> Node::run_propagated(const Command& command, const ServerTime& at) {
  std::vector<harness::Effect> effects = apply(command, at.wall_ms).effects;
  persist(at.now);
  return effects;
}

std::vector<Node::Answer> Node::take_ended(std::int64_t now_ms) {
  if (state_.pause && now_ms > state_.pause->end_ms) state_.pause.reset();
  std::vector<Answer> answers;
  for (const ReplicaWait& wait : state_.waits.take_ended(now_ms)) {
    answers.push_back({wait.connection, Reply::integer(wait.acknowledged())});
  }
  return answers;
}

std::optional<std::int64_t> Node::waits_until() const {
  std::optional<std::int64_t> first;
  const auto see = [&](std::int64_t stamp) { first = first ? std::min(*first, stamp) : stamp; };
  if (state_.pause) see(state_.pause->end_ms);
  for (const ReplicaWait& wait : state_.waits.open()) {
    if (wait.until_ms) see(*wait.until_ms);
  }
  return first;
}

NodeAnswer Node::apply(const Command& command, std::int64_t now_ms) {
  NodeAnswer executed{Reply::nil()};
  Scene at{state_, engine_, executed, now_ms, nobody, true};
  executed.reply = execute_from_master(at, command.args());
  state_.sessions.close(nobody);
  return executed;
}

/// A key that was there and is gone, or has another value, counts as flushed.
std::vector<harness::Effect> Node::restore(Dataset keys, std::int64_t now_ms) {
  NodeAnswer executed{Reply::nil()};
  const Dataset before = state_.keys;
  scene(executed, now_ms, nobody).clear();
  state_.keys = std::move(keys);
  std::erase_if(executed.effects, [&](const harness::Effect& gone) {
    const Entry* const now = state_.keys.find(gone.key);
    return now && *now == before.entries().at(gone.key);
  });
  return executed.effects;
}

std::vector<harness::Effect> Node::start_anew(Dataset keys, std::int64_t now_ms) {
  state_ = {.keys = std::move(state_.keys), .replica = state_.replica, .min_replicas = state_.min_replicas};
  return restore(std::move(keys), now_ms);
}

NodeAnswer Node::evict(const std::string& key, std::int64_t now_ms) {
  NodeAnswer executed{Reply::nil()};
  Scene at = scene(executed, now_ms, nobody);
  if (state_.replica || at.paused() || !state_.keys.contains(key)) return executed;
  at.erase(key, "evicted", harness::Change::evicted);
  executed.propagated.push_back(Command({"DEL", key}));
  return executed;
}

NodeAnswer Node::flush(std::int64_t now_ms) {
  NodeAnswer executed{Reply::nil()};
  scene(executed, now_ms, nobody).clear();
  executed.propagated.push_back(Command({"FLUSHALL"}));
  return executed;
}

void Node::operate(const Command& command, std::int64_t now_ms) {
  (void)execute({nobody, command, {now_ms}});
  state_.sessions.close(nobody);
}

NodeState Node::canonical(std::int64_t now_ms, harness::Renamer& renamer, const std::map<int, int>& connections) const {
  NodeState state{.scripts = state_.scripts, .replica = state_.replica, .min_replicas = state_.min_replicas};
  state.keys = state_.keys.canonical(now_ms, renamer);
  state.sessions = state_.sessions.canonical(now_ms, renamer, connections);
  state.waits = state_.waits.canonical(now_ms, connections);
  if (state_.pause) state.pause = Pause{state_.pause->end_ms - now_ms, state_.pause->all};
  return state;
}

}  // namespace lockproof::sim::redis
