// SPDX-License-Identifier: Apache-2.0
// Sessions: what a simulated node knows about its connections: transactions, watches, subscriptions. A plain value.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "algorithms/port/value.hpp"
#include "harness/workload/canonical_process.hpp"
#include "sim/services/redis/keyspace.hpp"

namespace lockproof::sim::redis {

using Words = std::vector<Value>;

struct Session {
  bool multi = false;       // between MULTI and EXEC
  bool dirty_exec = false;  // a command could not be queued: EXEC will be refused
  bool dirty_cas = false;   // a watched key changed: EXEC will answer nil
  int protocol = 2;         // 3 after HELLO 3: see programs/resp.hpp
  std::vector<Words> queued{};
  std::set<std::string, std::less<>> channels{};
  bool operator==(const Session&) const = default;
  /// Whether it takes few commands, since it is subscribed. In version 3 of the protocol it takes all.
  [[nodiscard]] bool hears_only() const { return protocol == 2 && !channels.empty(); }
};

struct Watch {
  std::string key;
  int connection;
  bool expired;  // it had expired when the watch began: its later deletion is then no change
  bool operator==(const Watch&) const = default;
};

class Sessions {
 public:
  [[nodiscard]] Session& of(int connection) { return sessions_[connection]; }
  [[nodiscard]] bool subscribed(int connection) const;
  void close(int connection);
  /// Ends a transaction, however it ends, and its watches.
  void discard(int connection);

  void watch(int connection, const std::string& key, const Keyspace& keys, std::int64_t wall_ms);
  void unwatch(int connection);
  /// Whether a key that this connection watches has expired since the watch began.
  [[nodiscard]] bool watched_expired(int connection, const Keyspace& keys, std::int64_t wall_ms) const;
  /// A key was changed or deleted: `keys` is what there is now (multi.c, touchWatchedKey).
  void touch(const std::string& key, const Keyspace& keys);
  /// All keys are about to be deleted (multi.c, touchAllWatchedKeysInDb).
  void touch_all(const Keyspace& before);

  /// Connections that subscribed to this channel.
  [[nodiscard]] std::vector<int> subscribers(const std::string& channel) const;

  /// The same with other numbers for the connections (those without a number are left out) and with renamed tokens.
  [[nodiscard]] Sessions canonical(std::int64_t wall_ms, harness::Renamer& renamer,
                                   const std::map<int, int>& numbers) const;
  [[nodiscard]] const std::map<int, Session>& all() const { return sessions_; }
  [[nodiscard]] const std::vector<Watch>& watches() const { return watches_; }
  bool operator==(const Sessions&) const = default;

 private:
  std::map<int, Session> sessions_;
  std::vector<Watch> watches_;  // in the order in which they began
};

}  // namespace lockproof::sim::redis
