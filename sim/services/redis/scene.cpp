// SPDX-License-Identifier: Apache-2.0
#include "sim/services/redis/scene.hpp"

#include <utility>

namespace lockproof::sim::redis {

Entry* Scene::find(const std::string& key) {
  Entry* entry = node.keys.find(key);
  if (!entry || from_master || !entry->expired(now_ms)) return entry;
  if (!node.replica && !paused()) {
    node.keys.erase(key);
    note("expired", key);
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
  changed(key, "set");
  if (expires_ms) note("expire", key, milliseconds(*expires_ms - now_ms));
}

void Scene::expire(const std::string& key, Entry& entry, std::int64_t expires_ms) {
  entry.expires_ms = expires_ms;
  dirty = true;
  note("expire", key, milliseconds(expires_ms - now_ms));
  node.sessions.touch(key, node.keys);
}

void Scene::erase(const std::string& key, const char* event) {
  node.keys.erase(key);
  changed(key, event);
}

void Scene::clear() {
  node.sessions.touch_all(node.keys);
  for (const auto& [key, entry] : node.keys.entries()) note("flushed", key);
  node.keys.clear();
}

void Scene::changed(const std::string& key, const char* event) {
  dirty = true;
  note(event, key);
  node.sessions.touch(key, node.keys);
}

void Scene::note(const char* event, const std::string& key, std::optional<milliseconds> ttl) {
  out.effects.push_back({event, key, ttl});
}

}  // namespace lockproof::sim::redis
