// SPDX-License-Identifier: Apache-2.0
// Node: one simulated Redis server: its state, and the engine for scripts that it shares with the others. What time,
// replication, persistence and faults do to it is the world's business; here is what each of them means for the data.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/services/redis/commands.hpp"
#include "sim/services/redis/script_engine.hpp"
#include "sim/world/server_model.hpp"

namespace lockproof::sim::redis {

class Node final : public ServerModel {
 public:
  explicit Node(ScriptEngine& engine) : engine_(engine) {}

  Executed execute(const Request& request) override;
  void disconnected(int connection) override {
    state_.sessions.close(connection);
    state_.waits.close(connection);
  }

  // Of a master: who follows it, and what they have said (Waits says what it means).
  bool follow(int host) { return state_.waits.join(host); }
  void unfollow(int host) { state_.waits.leave(host); }
  void acknowledged(int host) { state_.waits.acknowledged(host); }
  void set_good(int host, bool good) { state_.waits.set_good(host, good); }
  void set_min_replicas(int least) { state_.min_replicas = least; }

  /// The connection and its reply.
  using Answer = std::pair<int, Reply>;
  /// WAITs that have ended, and an end to CLIENT PAUSE, if it is over: what was postponed can be given again.
  [[nodiscard]] std::vector<Answer> take_ended(std::int64_t now_ms);
  /// After this stamp there is something to take.
  [[nodiscard]] std::optional<std::int64_t> waits_until() const;

  /// Runs what a master propagated. Nothing expires meanwhile: the master says when a key is gone.
  Executed apply(const Command& command, std::int64_t now_ms = 0);
  /// A replica refuses writes with READONLY, and hides expired keys instead of deleting them.
  void set_replica(bool replica) { state_.replica = replica; }

  /// Other keys in place of all that there are, as after a full resynchronisation: scripts and connections stay. Who
  /// watches a key is told that it is gone, but not that one is there (replication.c deletes, and then loads).
  std::vector<harness::Effect> restore(Dataset keys, std::int64_t now_ms = 0);
  /// The process was started anew with these keys: scripts, transactions, watches, subscriptions, waits and followers
  /// are lost.
  std::vector<harness::Effect> restart(Dataset keys, std::int64_t now_ms = 0);
  /// It is up, and has read a snapshot: what had expired by then is left out, and nobody is told.
  void leave_out_expired(std::int64_t now_ms) { state_.keys.erase_expired(now_ms); }
  /// One key is gone for want of memory; replicas are told by a DEL. Replicas do not evict, nor does a paused node.
  Executed evict(const std::string& key, std::int64_t now_ms = 0);
  /// All keys are gone, as by FLUSHALL.
  Executed flush(std::int64_t now_ms = 0);
  /// Runs an operator's command, on a connection that ends with it.
  void operate(const Command& command, std::int64_t now_ms);

  [[nodiscard]] const Dataset& dataset() const { return state_.keys; }
  [[nodiscard]] const Keyspace& keys() const { return state_.keys; }
  [[nodiscard]] const NodeState& state() const { return state_; }
  /// Without absolute time; `connections` gives each connection that counts a number free of history.
  [[nodiscard]] NodeState declared(std::int64_t now_ms, harness::Renamer& renamer,
                                   const std::map<int, int>& connections) const;

 private:
  static constexpr int nobody = -1;  // the connection of what no client asked for
  Scene scene(Executed& out, std::int64_t now_ms, int connection) { return {state_, engine_, out, now_ms, connection}; }

  ScriptEngine& engine_;
  NodeState state_;
};

}  // namespace lockproof::sim::redis
