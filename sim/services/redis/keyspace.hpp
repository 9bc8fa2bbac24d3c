// SPDX-License-Identifier: Apache-2.0
// Keyspace: the keys of one simulated Redis node. A plain value: copyable and comparable. Expiry follows Redis: the
// stamp is the node's wall clock in milliseconds, and a key is gone once now > stamp (db.c, keyIsExpired). No key is
// deleted here by itself: the Scene of a command deletes those that it finds expired.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/port/value.hpp"
#include "harness/workload/canonical_process.hpp"

namespace lockproof::sim::redis {

/// In the order in which the fields came, as Redis keeps small hashes (listpack).
using Hash = std::vector<std::pair<Value, Value>>;

struct Entry {
  std::variant<Value, Hash> content;
  std::optional<std::int64_t> expires_ms{};  // by the node's wall clock

  [[nodiscard]] const Value* string() const { return std::get_if<Value>(&content); }
  [[nodiscard]] const Hash* hash() const { return std::get_if<Hash>(&content); }
  [[nodiscard]] bool expired(std::int64_t wall_ms) const { return expires_ms && wall_ms > *expires_ms; }
  bool operator==(const Entry&) const = default;
};

class Keyspace {
 public:
  /// Null if there is no such key. An expired key is still returned.
  [[nodiscard]] Entry* find(const std::string& key);
  [[nodiscard]] bool contains(const std::string& key) const { return entries_.contains(key); }
  [[nodiscard]] bool expired(const std::string& key, std::int64_t wall_ms) const;
  Entry& put(const std::string& key, Entry entry);
  bool erase(const std::string& key) { return entries_.erase(key) > 0; }
  void clear() { entries_.clear(); }
  void erase_expired(std::int64_t wall_ms) {
    std::erase_if(entries_, [&](const auto& one) { return one.second.expired(wall_ms); });
  }

  /// The same keys with the clock at 0: without absolute time and with renamed tokens; expired keys are left out, as no
  /// command can see them.
  [[nodiscard]] Keyspace canonical(std::int64_t wall_ms, harness::Renamer& renamer) const;
  [[nodiscard]] const std::map<std::string, Entry, std::less<>>& entries() const { return entries_; }
  bool operator==(const Keyspace&) const = default;

 private:
  std::map<std::string, Entry, std::less<>> entries_;
};

/// The keys, which persistence keeps and replicas get. Scripts, watches and subscriptions are not in it.
using Dataset = Keyspace;

}  // namespace lockproof::sim::redis
