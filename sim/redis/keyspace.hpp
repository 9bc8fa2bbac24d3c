// SPDX-License-Identifier: Apache-2.0
// Keyspace: the keys of one simulated Redis node. A plain value: copyable and comparable. Redis's own expiry rule: the
// stamp is the node's wall clock in milliseconds, and a key is gone once now > stamp (expire.c, keyIsExpired).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/port/value.hpp"
#include "harness/history/event.hpp"
#include "harness/workload/declared.hpp"

namespace lockproof::sim::redis {

struct Entry {
  Value value;
  std::optional<std::int64_t> expires_ms;  // by the node's wall clock
  bool operator==(const Entry&) const = default;
};

/// One command's view: the node's time stands still while it runs, scripts included.
struct Now {
  std::int64_t wall_ms;
  std::vector<harness::Effect>* effects;  // may be null
};

class Keyspace {
 public:
  /// Null if there is no such key. A key whose time has come is deleted by being looked at.
  [[nodiscard]] Entry* find(const std::string& key, const Now& now);
  /// Sets the key; it has no expiry unless one is given.
  void set(const std::string& key, Value value, std::optional<std::int64_t> expires_ms, const Now& now);
  /// Gives a key that exists another expiry.
  void expire(const std::string& key, std::int64_t expires_ms, const Now& now);
  /// False if there is no such key.
  bool erase(const std::string& key, const Now& now);

  /// The same keys with the clock at 0: without absolute time and with renamed tokens; keys whose time has come are
  /// left out, as nobody can see them.
  [[nodiscard]] Keyspace declared(std::int64_t wall_ms, harness::Renamer& renamer) const;
  [[nodiscard]] const std::map<std::string, Entry, std::less<>>& entries() const { return entries_; }
  bool operator==(const Keyspace&) const = default;

 private:
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace lockproof::sim::redis
