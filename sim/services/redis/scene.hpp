// SPDX-License-Identifier: Apache-2.0
// Scene: what one command sees and changes: the node's state, the time, which stands still while it runs (scripts and
// transactions included), and what comes out besides the reply: effects, pushes, what replicas are to run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sim/services/redis/keyspace.hpp"
#include "sim/services/redis/sessions.hpp"
#include "sim/services/redis/waits.hpp"
#include "sim/world/service_model.hpp"

namespace lockproof::sim::redis {

class ScriptEngine;

/// The whole state of a node. A plain value.
struct NodeState {
  Dataset keys{};
  Sessions sessions{};
  std::map<std::string, std::string, std::less<>> scripts{};  // text by SHA-1. Not persistent, not replicated
  bool replica = false;
  ReplicaWaits waits{};
  std::optional<Pause> pause{};
  int min_replicas = 0;  // min-replicas-to-write
  bool operator==(const NodeState&) const = default;
};

class Scene {
 public:
  NodeState& node;
  ScriptEngine& engine;
  NodeAnswer& out;
  const std::int64_t now_ms;
  const int connection;
  const bool from_master = false;  // a replica applies what its master sent: nothing is refused and nothing expires

  /// Null if there is no such key. Looking at an expired key deletes it; a replica only hides it.
  [[nodiscard]] Entry* find(const std::string& key);
  /// Whether CLIENT PAUSE is on; asking ends a pause whose time is over.
  [[nodiscard]] bool paused();
  [[nodiscard]] Session& session() { return node.sessions.of(connection); }

  /// Stores a string under this key, in place of any value. It has no expiry unless one is given or kept.
  void set(const std::string& key, Value value, std::optional<std::int64_t> expires_ms, bool keep_expiry = false);
  void expire(const std::string& key, Entry& entry, std::int64_t expires_ms);
  /// Deletes a key that find() found.
  void erase(const std::string& key, const char* event = "del", harness::Change change = harness::Change::released);
  void clear();
  /// The value under this key was changed: in place, if nothing else is said.
  void changed(const std::string& key, const char* event, harness::Change change = harness::Change::changed);

  /// `event` is the name of the keyspace event.
  void note(harness::Change change, const char* event, const std::string& key, std::optional<milliseconds> ttl = {});
  void push(int to, Reply message) { out.pushes.push_back({to, std::move(message)}); }

  bool may_wait = true;  // not inside a transaction

  /// Whether the command that is running changed anything, so that replicas must run it too, …
  bool dirty = false;
  /// … and as which commands, if not as itself.
  std::optional<Words> rewritten{};
};

}  // namespace lockproof::sim::redis
