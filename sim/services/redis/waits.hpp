// SPDX-License-Identifier: Apache-2.0
// ReplicaWaits: the reasons for which a node does not answer at once, CLIENT PAUSE and WAITs for replicas, and what a
// master knows of its replicas. Plain values. Both end once the node's wall clock has passed their stamp, as keys do
// (timeout.c, networking.c).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/services/redis/keyspace.hpp"

namespace lockproof::sim::redis {

/// CLIENT PAUSE: commands are postponed, and no key expires or is evicted.
struct Pause {
  std::int64_t end_ms;
  bool all;  // else only commands that may write
  bool operator==(const Pause&) const = default;
};

/// A WAIT that is not answered yet.
struct ReplicaWait {
  int connection;
  std::int64_t wanted;                   // replicas
  std::optional<std::int64_t> until_ms;  // by the node's wall clock; none: without limit
  std::map<int, int> missing{};          // for each replica: how many answers are still to come; 0: it has all
  [[nodiscard]] std::int64_t acknowledged() const;
  bool operator==(const ReplicaWait&) const = default;
};

/// A replica that is linked to this master.
struct Follower {
  int host;
  int asked = 0;     // how many questions it has not answered yet: it answers in order
  bool good = true;  // heard from within min-replicas-max-lag
  bool operator==(const Follower&) const = default;
};

class ReplicaWaits {
 public:
  /// Begins a WAIT. The caller must then ask the followers what they have.
  void begin(ReplicaWait wait);
  void close(int connection);
  /// A follower has said that it has all that was sent before the oldest question still open.
  void acknowledged(int host);
  /// True: a WAIT is open, so the follower must be asked how far it is.
  bool join(int host);
  void leave(int host);
  void set_good(int host, bool good);
  [[nodiscard]] const std::vector<Follower>& followers() const { return followers_; }
  [[nodiscard]] int good_followers() const;

  /// Takes the WAITs that have enough replicas or whose time is over, in the order in which they began.
  [[nodiscard]] std::vector<ReplicaWait> take_ended(std::int64_t now_ms);
  [[nodiscard]] const std::vector<ReplicaWait>& open() const { return open_; }

  /// Without absolute time; connections get other numbers, and those without a number are left out.
  [[nodiscard]] ReplicaWaits canonical(std::int64_t now_ms, const std::map<int, int>& numbers) const;
  bool operator==(const ReplicaWaits&) const = default;

 private:
  std::vector<ReplicaWait> open_;
  std::vector<Follower> followers_;  // by host
};

}  // namespace lockproof::sim::redis
