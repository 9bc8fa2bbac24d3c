// SPDX-License-Identifier: Apache-2.0
// Node: one simulated Redis server: its state, what its disk has, and the engine for scripts that it shares with the
// others. The world decides when something happens to it; this class decides what that does to the data.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/scenario/scenario.hpp"
#include "sim/services/redis/commands.hpp"
#include "sim/services/redis/disk.hpp"
#include "sim/services/redis/script_engine.hpp"
#include "sim/world/service_model.hpp"

namespace lockproof::sim::redis {

class Node final : public ServiceModel, public ReplicatedModel {
 public:
  explicit Node(ScriptEngine& engine, const harness::ServerSpec& spec = {});

  // ServiceModel
  NodeAnswer execute(const Request& request) override;
  void disconnected(int connection) override {
    state_.sessions.close(connection);
    state_.waits.close(connection);
  }
  [[nodiscard]] Queues queues() const override { return Queues::one; }
  void persist(Duration now) override { disk_.write(now, state_.keys); }
  [[nodiscard]] std::optional<Duration> due(const HostClocks& clocks) const override;
  /// Takes WAITs that have ended, and ends CLIENT PAUSE if it is over: postponed commands can then be given again.
  [[nodiscard]] std::vector<Answer> on_timer(const ServerTime& at) override { return take_ended(at.wall_ms); }
  [[nodiscard]] bool postpones() const override { return state_.pause.has_value(); }
  NodeAnswer apply(const harness::Fault& fault, const std::string& lock, const ServerTime& at) override;
  std::vector<harness::Effect> stop(bool without_warning, const ServerTime& at) override;
  void restart(const ServerTime& at) override;
  [[nodiscard]] ReplicatedModel* replication() override { return this; }
  void encode(StateEncoder& into, const std::map<int, int>& connections, const ServerTime& at,
              std::int64_t over_at_most_ms) const override;
  void residual(StateEncoder& into, const ServerTime& at, bool with_leased) const override;
  [[nodiscard]] Duration longest_lease(const ServerTime& at) const override;
  void each_reading(const HostClocks& clocks, const std::function<void(Duration)>& see) const override;
  [[nodiscard]] std::vector<std::int64_t> stamps() const override;

  // ReplicatedModel; Waits explains followers.
  /// A replica refuses writes with READONLY, and hides expired keys instead of deleting them.
  void set_replica(bool replica) override { state_.replica = replica; }
  bool follow(int host) override { return state_.waits.join(host); }
  void unfollow(int host) override { state_.waits.leave(host); }
  void acknowledged(int host) override { state_.waits.acknowledged(host); }
  void set_good(int host, bool good) override { state_.waits.set_good(host, good); }
  void send_copy(const ServiceModel& master) override { copy_ = dynamic_cast<const Node&>(master).dataset(); }
  [[nodiscard]] bool copy_is_coming() const override { return copy_.has_value(); }
  bool lose_copy() override { return std::exchange(copy_, std::nullopt).has_value(); }
  std::vector<harness::Effect> load_copy(const ServerTime& at) override;
  std::vector<harness::Effect> run_propagated(const Command& command, const ServerTime& at) override;

  // The building blocks of the interfaces above.
  void set_min_replicas(int least) { state_.min_replicas = least; }
  [[nodiscard]] std::vector<Answer> take_ended(std::int64_t now_ms);
  /// After this stamp a wait or a pause has ended.
  [[nodiscard]] std::optional<std::int64_t> waits_until() const;

  /// Runs a command that a master propagated. Nothing expires meanwhile: the master says when a key is gone.
  NodeAnswer apply(const Command& command, std::int64_t now_ms = 0);

  /// Replaces all keys, as after a full resynchronisation: scripts and connections stay. A connection that watches a
  /// key learns that it is gone, but not that it was created (replication.c deletes, and then loads).
  std::vector<harness::Effect> restore(Dataset keys, std::int64_t now_ms = 0);
  /// The process was started anew with these keys: scripts, transactions, watches, subscriptions, waits and followers
  /// are lost.
  std::vector<harness::Effect> start_anew(Dataset keys, std::int64_t now_ms = 0);
  /// The process is up, and has read a snapshot: keys that had expired by then are left out, and no connection is
  /// notified.
  void leave_out_expired(std::int64_t now_ms) { state_.keys.erase_expired(now_ms); }
  /// One key is evicted for want of memory; replicas get a DEL. Replicas do not evict, nor does a paused node.
  NodeAnswer evict(const std::string& key, std::int64_t now_ms = 0);
  /// All keys are gone, as by FLUSHALL.
  NodeAnswer flush(std::int64_t now_ms = 0);
  /// Runs an operator's command, on a connection that ends after it.
  void operate(const Command& command, std::int64_t now_ms);

  [[nodiscard]] const Dataset& dataset() const { return state_.keys; }
  [[nodiscard]] const Keyspace& keys() const { return state_.keys; }
  [[nodiscard]] const NodeState& state() const { return state_; }
  /// Without absolute time; `connections` gives each connection that counts a number free of history.
  [[nodiscard]] NodeState canonical(std::int64_t now_ms, harness::Renamer& renamer,
                                    const std::map<int, int>& connections) const;

 private:
  static constexpr int nobody = -1;  // the connection of a command that no client sent
  Scene scene(NodeAnswer& out, std::int64_t now_ms, int connection) {
    return {state_, engine_, out, now_ms, connection};
  }

  ScriptEngine& engine_;
  NodeState state_;
  const harness::Persistence persistence_;
  Disk disk_;
  std::optional<Dataset> copy_{};  // the whole data set of its master, under way to this node
};

}  // namespace lockproof::sim::redis
