// SPDX-License-Identifier: Apache-2.0
#include "sim/services/etcd/keyspace.hpp"

#include <algorithm>

namespace lockproof::sim::etcd {

std::int64_t Keyspace::grant(const Lease& lease) {
  leases_.emplace(++granted_, lease);
  return granted_;
}

Lease* Keyspace::lease(std::int64_t id) {
  const auto found = leases_.find(id);
  return found == leases_.end() ? nullptr : &found->second;
}

bool Keyspace::has_keys(std::int64_t lease) const {
  return std::ranges::any_of(keys_, [&](const auto& entry) { return entry.second.lease == lease; });
}

std::vector<std::string> Keyspace::revoke(std::int64_t id) {
  leases_.erase(id);
  std::vector<std::string> gone;
  for (const auto& [name, key] : keys_) {
    if (key.lease == id) gone.push_back(name);
  }
  for (const std::string& name : gone) keys_.erase(name);
  if (!gone.empty()) ++revision_;
  return gone;
}

bool Keyspace::make(const std::string& key, harness::HostIndex client, std::int64_t lease) {
  const bool made = keys_.try_emplace(key, Key{client, lease, revision_ + 1}).second;
  if (made) ++revision_;
  return made;
}

bool Keyspace::remove(const std::string& key) {
  const bool removed = keys_.erase(key) > 0;
  if (removed) ++revision_;
  return removed;
}

const Key* Keyspace::key(const std::string& name) const {
  const auto found = keys_.find(name);
  return found == keys_.end() ? nullptr : &found->second;
}

std::optional<Keyspace::Keys::value_type> Keyspace::first(std::string_view prefix) const {
  std::optional<Keys::value_type> first;
  for (const auto& entry : keys_) {
    if (entry.first.starts_with(prefix) && (!first || entry.second.created < first->second.created))
      first.emplace(entry);
  }
  return first;
}

std::optional<Keyspace::Keys::value_type> Keyspace::last_before(std::string_view prefix, std::int64_t revision) const {
  std::optional<Keys::value_type> last;
  for (const auto& entry : keys_) {
    const std::int64_t created = entry.second.created;
    if (entry.first.starts_with(prefix) && created < revision && (!last || created > last->second.created)) {
      last.emplace(entry);
    }
  }
  return last;
}

void Keyspace::watch(int connection, const std::string& key) {
  const Watch watch{connection, key};
  if (std::ranges::find(watches_, watch) == watches_.end()) watches_.push_back(watch);
}

void Keyspace::end_watch(int connection, const std::string& key) { std::erase(watches_, Watch{connection, key}); }

std::vector<int> Keyspace::take_watches(const std::string& key) {
  std::vector<int> told;
  std::erase_if(watches_, [&](const Watch& watch) {
    if (watch.key == key) told.push_back(watch.connection);
    return watch.key == key;
  });
  return told;
}

void Keyspace::forget(int connection) {
  std::erase_if(watches_, [&](const Watch& watch) { return watch.connection == connection; });
}

}  // namespace lockproof::sim::etcd
