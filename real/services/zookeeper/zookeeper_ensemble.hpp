// SPDX-License-Identifier: Apache-2.0
// ZooKeeperEnsemble: what the servers of an ensemble have together: the network between them, and the evidence of what
// each of them did. Every one of them logs all changes, and a change that was made is in the logs of a majority.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "algorithms/port/pinned_object.hpp"
#include "real/os/janitor.hpp"
#include "real/services/zookeeper/ensemble_network.hpp"
#include "real/services/zookeeper/queue_changes.hpp"

namespace lockproof::real {

class ZooKeeperEnsemble : public PinnedObject {
 public:
  /// Of a server that has joined: its answers, and its log. They are asked for when the run is over.
  struct Member {
    std::function<const std::vector<ServerAnswer>&()> answers;
    std::function<std::vector<Transaction>()> log;
  };

  ZooKeeperEnsemble(std::size_t servers, Janitor& janitor) : network_(static_cast<int>(servers), janitor) {}

  /// Returns its place, from 0.
  std::size_t join(Member member);
  /// The last server leads at first, as it does if it is among the first that make a majority. The others start later.
  [[nodiscard]] bool starts_later(std::size_t server) const;
  [[nodiscard]] EnsembleNetwork& network() { return network_; }

  /// Notes whether the server at this port leads, by what it says of itself.
  void look_at(std::size_t server, int port);
  /// What this one of the servers did, in its order.
  [[nodiscard]] std::vector<Execution> executions_at(std::size_t server, const std::string& lock,
                                                     const std::function<Duration(std::int64_t wall_ms)>& when) const;

 private:
  [[nodiscard]] std::vector<ServerAnswer> answers() const;
  [[nodiscard]] std::vector<Transaction> log() const;
  [[nodiscard]] std::size_t leader_of(std::int64_t transaction) const;

  EnsembleNetwork network_;
  std::vector<Member> members_;
  std::map<std::int64_t, std::size_t> leaders_;  // by epoch
};

/// Whether the server at this port says that it leads an ensemble.
[[nodiscard]] bool leads(int port);

}  // namespace lockproof::real
