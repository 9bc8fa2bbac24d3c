// SPDX-License-Identifier: Apache-2.0
// ModelNodes: runs steps on several simulated nodes: with their replication, the messages in flight between them, and
// what each has on disk. The rules are those of sim/services/redis and sim/world; here they are moved one step at a
// time.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/redis/model_side.hpp"
#include "conformance/redis/step.hpp"
#include "harness/scenario/scenario.hpp"
#include "sim/services/redis/disk.hpp"

namespace lockproof::conformance::redis {

inline constexpr int no_node = -1;
/// The persistence of each node. At the beginning all nodes are masters without replicas.
inline constexpr std::array persistences{harness::Persistence::rdb, harness::Persistence::aof_always,
                                         harness::Persistence::aof_everysec, harness::Persistence::none};
inline constexpr int node_count = static_cast<int>(persistences.size());

class ModelNodes final : public PinnedObject {
 public:
  /// A message in flight from a master to a replica.
  struct ReplicaMessage {
    Command command;
    std::optional<sim::redis::Dataset> copy{};
  };
  struct One {
    explicit One(const Mutant* mutant, harness::Persistence kind) : side(mutant, 0), disk(kind) {}
    ModelSide side;
    sim::redis::Disk disk;
    std::int64_t ahead_us = 0;  // ahead of the common clock
    int master = no_node;       // a replica's master
    bool linked = false;        // its master sends it what it runs
    std::deque<ReplicaMessage> coming{};

    [[nodiscard]] std::int64_t now_ms() const { return side.now_us() / 1000; }
    [[nodiscard]] bool copy_comes() const;
  };

  explicit ModelNodes(const Mutant* mutant = nullptr) : mutant_(mutant) { reset(); }

  void reset();
  /// Whether this step is possible now. Impossible steps are left out on both sides.
  [[nodiscard]] bool possible(const Step& step) const;
  /// The same step, with its deliveries limited to what is in flight.
  [[nodiscard]] Step as_far_as_possible(Step step) const;
  /// Runs the step and adds its results to the outcome.
  void run(const Step& step, Outcome& outcome);
  [[nodiscard]] Outcome run(const Step& step);

  [[nodiscard]] const One& at(int node) const { return *nodes_[static_cast<std::size_t>(node)]; }
  [[nodiscard]] One& at(int node) { return *nodes_[static_cast<std::size_t>(node)]; }
  [[nodiscard]] bool has_replicas(int node) const;
  /// The other replicas of this one's master.
  [[nodiscard]] std::vector<int> beside(int node) const;
  [[nodiscard]] std::int64_t clock_us() const { return clock_us_; }
  [[nodiscard]] std::vector<std::string> contents(int node) const;
  /// Whether a server that is short of memory would delete just this key.
  [[nodiscard]] bool evictable(int node, const std::string& key) const;

  // The rules, for run() and for mutants.
  void perform(const Step& step, Outcome& outcome);
  void send(int master, const std::vector<Command>& commands);
  void store(int node) { at(node).disk.write(now(), at(node).side.node().dataset()); }
  void end(int node, bool without_warning);
  void unlink(int node);
  void turn(int node, int master);
  [[nodiscard]] Duration now() const { return Duration(clock_us_ - epoch_ms * 1000); }

 private:
  void deliver(One& replica, std::size_t count, Outcome& outcome);
  void load(One& replica, Outcome& outcome);

  const Mutant* mutant_;
  std::array<std::unique_ptr<One>, persistences.size()> nodes_;
  std::int64_t clock_us_ = 0;
};

}  // namespace lockproof::conformance::redis
