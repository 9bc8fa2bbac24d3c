// SPDX-License-Identifier: Apache-2.0
#include "sim/services/redis/sessions.hpp"

#include <algorithm>
#include <utility>

namespace lockproof::sim::redis {

bool Sessions::subscribed(int connection) const {
  const auto found = sessions_.find(connection);
  return found != sessions_.end() && !found->second.channels.empty();
}

void Sessions::close(int connection) {
  sessions_.erase(connection);
  unwatch(connection);
}

void Sessions::discard(int connection) {
  Session& session = sessions_[connection];
  session = Session{.channels = std::move(session.channels)};
  unwatch(connection);
}

void Sessions::watch(int connection, const std::string& key, const Keyspace& keys, std::int64_t wall_ms) {
  const bool known =
      std::ranges::any_of(watches_, [&](const Watch& w) { return w.connection == connection && w.key == key; });
  if (!known) watches_.push_back({key, connection, keys.expired(key, wall_ms)});
}

void Sessions::unwatch(int connection) {
  std::erase_if(watches_, [&](const Watch& w) { return w.connection == connection; });
}

bool Sessions::watched_expired(int connection, const Keyspace& keys, std::int64_t wall_ms) const {
  return std::ranges::any_of(watches_, [&](const Watch& w) {
    return w.connection == connection && !w.expired && keys.expired(w.key, wall_ms);
  });
}

void Sessions::touch(const std::string& key, const Keyspace& keys) {
  std::vector<int> dirty;
  for (Watch& watch : watches_) {
    if (watch.key != key) continue;
    if (watch.expired) {
      if (keys.contains(key)) break;  // Redis leaves its loop here: later watchers are not marked
      watch.expired = false;
      continue;
    }
    dirty.push_back(watch.connection);
  }
  for (const int connection : dirty) {
    sessions_[connection].dirty_cas = true;
    unwatch(connection);
  }
}

void Sessions::touch_all(const Keyspace& before) {
  for (Watch& watch : watches_) {
    if (!before.contains(watch.key)) continue;
    if (!std::exchange(watch.expired, false)) sessions_[watch.connection].dirty_cas = true;
  }
}

std::vector<int> Sessions::subscribers(const std::string& channel) const {
  std::vector<int> connections;
  for (const auto& [connection, session] : sessions_) {
    if (session.channels.contains(channel)) connections.push_back(connection);
  }
  return connections;
}

Sessions Sessions::canonical(std::int64_t wall_ms, harness::Renamer& renamer, const std::map<int, int>& numbers) const {
  Sessions renamed;
  for (const auto& [connection, number] : numbers) {
    const auto found = sessions_.find(connection);
    if (found == sessions_.end() || found->second == Session{}) continue;
    Session session = found->second;
    for (Words& words : session.queued) {
      for (Value& word : words) word = renamer.canonical(word, wall_ms);
    }
    renamed.sessions_.emplace(number, std::move(session));
  }
  for (const Watch& watch : watches_) {
    const auto found = numbers.find(watch.connection);
    if (found != numbers.end()) renamed.watches_.push_back({watch.key, found->second, watch.expired});
  }
  return renamed;
}

}  // namespace lockproof::sim::redis
