// SPDX-License-Identifier: Apache-2.0
// Keyspace: the keys, leases and watches of one simulated etcd, and its revision. A plain value without a clock. Each
// change has the next revision; what goes with a lease goes in one change.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/history/event.hpp"

namespace lockproof::sim::etcd {

inline constexpr std::int64_t no_lease = 0;

/// When a lease may end. The server looks at it when its wall clock shows `look_ms`, and ends it if its monotonic clock
/// shows `ends_us` by then.
struct Lease {
  harness::HostIndex client;
  std::int64_t ttl_s;
  std::int64_t ends_us, look_ms;
  bool operator==(const Lease&) const = default;
};

struct Key {
  harness::HostIndex client;  // who made it
  std::int64_t lease;
  std::int64_t created;  // the revision
  bool operator==(const Key&) const = default;
};

struct Watch {
  int connection;
  std::string key;
  bool operator==(const Watch&) const = default;
};

class Keyspace {
 public:
  using Keys = std::map<std::string, Key>;

  /// The new lease's id.
  std::int64_t grant(const Lease& lease);
  /// Null: there is none, or it has ended.
  Lease* lease(std::int64_t id);
  [[nodiscard]] bool has_keys(std::int64_t lease) const;
  /// Ends a lease. The names of its keys, which are deleted.
  std::vector<std::string> revoke(std::int64_t id);

  /// False: there is such a key.
  bool make(const std::string& key, harness::HostIndex client, std::int64_t lease);
  /// False: there is none.
  bool remove(const std::string& key);
  [[nodiscard]] const Key* key(const std::string& name) const;
  /// Of the keys whose names begin so, the one that was created first.
  [[nodiscard]] std::optional<Keys::value_type> first(std::string_view prefix) const;
  /// Of those that were created before this revision, the last.
  [[nodiscard]] std::optional<Keys::value_type> last_before(std::string_view prefix, std::int64_t revision) const;

  void watch(int connection, const std::string& key);
  /// A watch of this connection on this key is over, if there is one.
  void end_watch(int connection, const std::string& key);
  /// The connections that watch a key. Each is told once.
  std::vector<int> take_watches(const std::string& key);
  /// Forgets the watches of a connection.
  void forget(int connection);
  void forget_watches() { watches_.clear(); }

  [[nodiscard]] std::int64_t revision() const { return revision_; }
  [[nodiscard]] std::int64_t granted() const { return granted_; }
  [[nodiscard]] const Keys& keys() const { return keys_; }
  [[nodiscard]] std::map<std::int64_t, Lease>& leases() { return leases_; }
  [[nodiscard]] const std::map<std::int64_t, Lease>& leases() const { return leases_; }
  [[nodiscard]] const std::vector<Watch>& watches() const { return watches_; }
  bool operator==(const Keyspace&) const = default;

 private:
  Keys keys_;
  std::map<std::int64_t, Lease> leases_;
  std::vector<Watch> watches_;
  std::int64_t revision_ = 1;  // as that of a new etcd
  std::int64_t granted_ = 0;   // leases so far
};

}  // namespace lockproof::sim::etcd
