// SPDX-License-Identifier: Apache-2.0
#include "sim/services/redis/scene.hpp"

#include <utility>

namespace lockproof::sim::redis {

using harness::Change;

Entry* Scene::find(const std::string& key) {
  Entry* entry = node.keys.find(key);
  if (!entry || from_master || !entry->expired(now_ms)) return entry;
  if (!node.replica && !paused()) {
    node.keys.erase(key);
    note(Change::expired, "expired", key);
    node.sessions.touch(key, node.keys);
    out.propagated.push_back(Command({"DEL", key}));
  }
  return nullptr;
}

bool Scene::paused() {
  if (node.pause && now_ms > node.pause->end_ms) node.pause.reset();
  return node.pause.has_value();
}

void Scene::set(const std::string& key, Value value, std::optional<std::int64_t> expires_ms, bool keep_expiry) {
  const Entry* old = node.keys.find(key);
  if (keep_expiry && old && !expires_ms) {
    node.keys.put(key, Entry{std::move(value), old->expires_ms});
  } else {
    node.keys.put(key, Entry{std::move(value), expires_ms});
  }
  changed(key, "set", Change::acquired);
  if (expires_ms) note(Change::renewed, "expire", key, milliseconds(*expires_ms - now_ms));
}

void Scene::expire(const std::string& key, Entry& entry, std::int64_t expires_ms) {
  entry.expires_ms = expires_ms;
  dirty = true;
  note(Change::renewed, "expire", key, milliseconds(expires_ms - now_ms));
  node.sessions.touch(key, node.keys);
}

void Scene::erase(const std::string& key, const char* event, Change change) {
  node.keys.erase(key);
  changed(key, event, change);
}

void Scene::clear() {
  node.sessions.touch_all(node.keys);
  for (const auto& [key, entry] : node.keys.entries()) note(Change::evicted, "flushed", key);
  node.keys.clear();
}

void Scene::changed(const std::string& key, const char* event, Change change) {
  dirty = true;
  note(change, event, key);
  node.sessions.touch(key, node.keys);
}

void Scene::note(Change change, const char* event, const std::string& key, std::optional<milliseconds> ttl) {
  out.effects.push_back({change, event, key, ttl});
}

}  // namespace lockproof::sim::redis
