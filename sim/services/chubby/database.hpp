// SPDX-License-Identifier: Apache-2.0
// Database: what the replicas of a Chubby cell agree on: sessions, and locks in exclusive mode. A plain value without a
// clock: instants are microseconds of the master's monotonic clock. It outlives each master.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/history/event.hpp"

namespace lockproof::sim::chubby {

using SessionId = std::int64_t;

struct Session {
  harness::HostIndex client;
  std::int64_t lease_us;
  std::int64_t ends_us;      // unless a KeepAlive is answered before
  bool failed_over = false;  // to a master that has answered none of its KeepAlives
  bool operator==(const Session&) const = default;
};

struct Lock {
  std::optional<SessionId> holder{};
  std::int64_t generation = 0;  // how often it was taken
  std::int64_t delay_us = 0;    // the lock-delay that its last holder has asked for
  std::int64_t free_us = 0;     // nobody gets it before
  bool operator==(const Lock&) const = default;
};

class Database {
 public:
  SessionId open(const Session& session) {
    sessions.emplace(++opened_, session);
    return opened_;
  }
  /// Null: there is none, or it has ended.
  [[nodiscard]] Session* find(SessionId id) {
    const auto found = sessions.find(id);
    return found == sessions.end() ? nullptr : &found->second;
  }
  [[nodiscard]] Session& session(SessionId id) { return sessions.at(id); }
  [[nodiscard]] const Session& session(SessionId id) const { return sessions.at(id); }
  [[nodiscard]] bool has_locks(SessionId id) const {
    return std::ranges::any_of(locks, [&](const auto& entry) { return entry.second.holder == id; });
  }
  /// Ends a session. The names of the locks that it had.
  std::vector<std::string> end(SessionId id, std::int64_t now_us) {
    sessions.erase(id);
    std::vector<std::string> had;
    for (auto& [name, lock] : locks) {
      if (lock.holder != id) continue;
      lock.holder.reset();
      lock.free_us = now_us + lock.delay_us;
      had.push_back(name);
    }
    return had;
  }
  [[nodiscard]] SessionId opened() const { return opened_; }

  std::map<SessionId, Session> sessions;
  std::map<std::string, Lock> locks;  // those that were ever taken

 private:
  SessionId opened_ = 0;
};

}  // namespace lockproof::sim::chubby
