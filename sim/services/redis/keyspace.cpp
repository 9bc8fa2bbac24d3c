// SPDX-License-Identifier: Apache-2.0
#include "sim/services/redis/keyspace.hpp"

namespace lockproof::sim::redis {
namespace {

std::variant<Value, Hash> canonical_content(const Entry& entry, std::int64_t wall_ms, harness::Renamer& renamer) {
  if (const Value* string = entry.string()) return renamer.canonical(*string, wall_ms);
  Hash renamed;
  for (const auto& [field, value] : *entry.hash()) {
    Value new_field = renamer.canonical(field, wall_ms);
    renamed.emplace_back(std::move(new_field), renamer.canonical(value, wall_ms));
  }
  return renamed;
}

}  // namespace

Entry* Keyspace::find(const std::string& key) {
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second;
}

bool Keyspace::expired(const std::string& key, std::int64_t wall_ms) const {
  const auto found = entries_.find(key);
  return found != entries_.end() && found->second.expired(wall_ms);
}

Entry& Keyspace::put(const std::string& key, Entry entry) {
  return entries_.insert_or_assign(key, std::move(entry)).first->second;
}

Keyspace Keyspace::canonical(std::int64_t wall_ms, harness::Renamer& renamer) const {
  Keyspace relative;
  for (const auto& [key, entry] : entries_) {
    if (entry.expired(wall_ms)) continue;
    Entry moved{canonical_content(entry, wall_ms, renamer), entry.expires_ms};
    if (moved.expires_ms) *moved.expires_ms -= wall_ms;
    relative.entries_.emplace(key, std::move(moved));
  }
  return relative;
}

}  // namespace lockproof::sim::redis
