// SPDX-License-Identifier: Apache-2.0
// Database: the advisory locks and rows of one simulated PostgreSQL, and who has changed what without having committed
// it. A plain value: no SQL, no clock. A session is a connection, by its number; a key of an advisory lock, and a row,
// is named by the lock's name.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "algorithms/port/value.hpp"

namespace lockproof::sim::postgres {

/// A row of the table `leases`.
struct Lease {
  Value owner{""};
  std::optional<std::int64_t> until_ms{};  // by the wall clock; nothing: -infinity
  std::int64_t fence = 0;
  bool by_clients = false;  // `until_ms` is compared with what clients say the time is, and not with its own clock
  bool operator==(const Lease&) const = default;
};

template <class T>
using NameMap = std::map<std::string, T, std::less<>>;

/// The rows of both tables.
struct Rows {
  NameMap<Lease> leases{};
  NameMap<std::int64_t> fences{};
  [[nodiscard]] bool empty() const { return leases.empty() && fences.empty(); }
  bool operator==(const Rows&) const = default;
};

/// What belongs to one connection.
struct Session {
  bool in_transaction = false;
  bool failed = false;                // an error in it: it can only be rolled back
  bool remote_apply = false;          // its commit waits for a standby
  bool committing = false;            // it does so now
  NameMap<int> advisory{};            // the session's own, and how often each
  std::set<std::string> until_end{};  // those of its transaction
  Rows changed{};  // not committed: other sessions see the rows as they were, and wait to change them
  [[nodiscard]] bool idle() const { return !in_transaction && advisory.empty(); }
  [[nodiscard]] bool has(const std::string& key) const { return advisory.contains(key) || until_end.contains(key); }
  bool operator==(const Session&) const = default;
};

class Database {
 public:
  /// The session of a connection; it begins with the first statement.
  Session& session(int connection) { return sessions_[connection]; }
  [[nodiscard]] const std::map<int, Session>& sessions() const { return sessions_; }
  [[nodiscard]] const Rows& rows() const { return rows_; }
  [[nodiscard]] Rows& rows() { return rows_; }

  /// Whether another session has this advisory lock.
  [[nodiscard]] bool taken_from(int connection, const std::string& key) const;
  /// The other session that has changed such a row and has not committed; nothing: none has.
  template <class T>
  [[nodiscard]] std::optional<int> writer_of(NameMap<T> Rows::*table, const std::string& key, int connection) const {
    for (const auto& [other, session] : sessions_) {
      if (other != connection && (session.changed.*table).contains(key)) return other;
    }
    return std::nullopt;
  }
  /// The row as this session sees it; null: there is none.
  template <class T>
  [[nodiscard]] const T* seen(NameMap<T> Rows::*table, const std::string& key, int connection) const {
    const auto session = sessions_.find(connection);
    if (session != sessions_.end()) {
      const auto own = (session->second.changed.*table).find(key);
      if (own != (session->second.changed.*table).end()) return &own->second;
    }
    const auto committed = (rows_.*table).find(key);
    return committed == (rows_.*table).end() ? nullptr : &committed->second;
  }

  /// Ends the session's transaction, if it has one. Returns the rows that are committed by it.
  Rows commit(int connection);
  void roll_back(int connection);
  /// The connection has ended. Returns the names of the advisory locks that are free now.
  std::vector<std::string> end(int connection);
  /// The process has ended: nothing is left but what was committed. Returns as `end`.
  std::vector<std::string> end_all();
  bool operator==(const Database&) const = default;

 private:
  std::map<int, Session> sessions_;
  Rows rows_;
};

}  // namespace lockproof::sim::postgres
