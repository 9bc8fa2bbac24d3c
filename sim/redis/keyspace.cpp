// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/keyspace.hpp"

#include <utility>

namespace lockproof::sim::redis {
namespace {

void note(const Now& now, const char* event, const std::string& key, std::optional<milliseconds> ttl = {}) {
  if (now.effects) now.effects->push_back({event, key, ttl});
}

bool expired(const Entry& entry, std::int64_t wall_ms) { return entry.expires_ms && wall_ms > *entry.expires_ms; }

}  // namespace

Entry* Keyspace::find(const std::string& key, const Now& now) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return nullptr;
  if (expired(found->second, now.wall_ms)) {
    entries_.erase(found);
    note(now, "expired", key);
    return nullptr;
  }
  return &found->second;
}

void Keyspace::set(const std::string& key, Value value, std::optional<std::int64_t> expires_ms, const Now& now) {
  entries_.insert_or_assign(key, Entry{std::move(value), expires_ms});
  note(now, "set", key);
  if (expires_ms) note(now, "expire", key, milliseconds(*expires_ms - now.wall_ms));
}

void Keyspace::expire(const std::string& key, std::int64_t expires_ms, const Now& now) {
  entries_.find(key)->second.expires_ms = expires_ms;
  note(now, "expire", key, milliseconds(expires_ms - now.wall_ms));
}

bool Keyspace::erase(const std::string& key, const Now& now) {
  if (!find(key, now)) return false;
  entries_.erase(key);
  note(now, "del", key);
  return true;
}

Keyspace Keyspace::declared(std::int64_t wall_ms, harness::Renamer& renamer) const {
  Keyspace relative;
  for (const auto& [key, entry] : entries_) {
    if (expired(entry, wall_ms)) continue;
    Entry moved{renamer.declared(entry.value, wall_ms), entry.expires_ms};
    if (moved.expires_ms) *moved.expires_ms -= wall_ms;
    relative.entries_.emplace(key, std::move(moved));
  }
  return relative;
}

}  // namespace lockproof::sim::redis
