// SPDX-License-Identifier: Apache-2.0
// Server: one simulated ZooKeeper 3.8, which stands alone or is one of an ensemble. Sessions, nodes and numbers are on
// its disk before it answers, and outlive its process. A session ends at the first tick of its monotonic clock that is
// later than its time-out after the last request of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/services/zookeeper/tree.hpp"
#include "sim/world/service_model.hpp"

namespace lockproof::sim::zookeeper {

class Server final : public ServiceModel, public EnsembleModel {
 public:
  /// `lock`: the parent of all nodes.
  Server(const std::string& lock, milliseconds tick) : tree_(lock), tick_ms_(tick.count()) {}

  [[nodiscard]] Queues queues() const override { return Queues::per_client; }
  NodeAnswer execute(const Request& request) override;
  void disconnected(int connection) override { leave(connection); }
  [[nodiscard]] std::optional<Duration> due(const HostClocks& clocks) const override;
  [[nodiscard]] bool acts_alone() const override { return true; }
  [[nodiscard]] OwnActs act(const ServerTime& at) override;
  std::vector<harness::Effect> stop(bool without_warning, const ServerTime& at) override;
  void restart(const ServerTime& at) override;
  void encode(StateEncoder& into, const std::map<int, int>& connections, const ServerTime& at,
              std::int64_t over_at_most_ms) const override;
  void residual(StateEncoder& into, const ServerTime& at, bool with_leased) const override;
  [[nodiscard]] Duration longest_lease(const ServerTime& at) const override;
  void each_reading(const HostClocks& clocks, const std::function<void(Duration)>& see) const override;
  // The session tracker is a thread of its own, which a pause keeps from its ticks; requests may run before it goes on.
  void stand_still(const ServerTime& at) override;
  void go_on(const ServerTime& at) override;
  [[nodiscard]] std::optional<Recurrence> ticks(const HostClocks& clocks, const ServerTime& at) const override;

  [[nodiscard]] bool postpones() const override { return standing_ == Standing::apart; }
  [[nodiscard]] EnsembleModel* ensemble() override { return this; }
  void stand(Standing standing) override;
  [[nodiscard]] std::int64_t applied() const override { return tree_.changes(); }
  OwnActs follow(const ServiceModel& other, const std::vector<std::string>& changed) override;
  OwnActs catch_up(const ServiceModel& leader, const ServerTime& at) override;
  void end_idle(const ServerTime& at) override { forget_idle(at); }
  void begin_to_lead(const ServerTime& at) override;

  [[nodiscard]] const Tree& tree() const { return tree_; }

 private:
  struct Scene;
  using Words = std::vector<Value>;
  Reply run(const Scene& scene, const Words& words);
  Reply connect(const Scene& scene, std::int64_t timeout_ms);
  void leave(int connection);
  void take_over(const Scene& scene, Session& session);
  std::vector<std::string> end_session(const Scene& scene, std::int64_t session);
  Reply create(const Scene& scene, std::int64_t session, const Words& words);
  Reply remove(const Scene& scene, const std::string& path);
  void changed(const Scene& scene, const std::string& path);
  void settle(const Scene& scene, std::optional<std::int64_t> before, harness::Change how);
  void touch(Session& session, const ServerTime& at) const;
  void give_whole_time(const ServerTime& at);
  [[nodiscard]] bool needs_leader(const Request& request) const;
  void encode_standing(StateEncoder& into) const;
  void forget_idle(const ServerTime& at);
  [[nodiscard]] Mono instant_of(std::int64_t tick) const { return InstantAccess::make<Mono>(tick * tick_ms_ * 1000); }
  [[nodiscard]] std::int64_t tick_at(const ServerTime& at) const;
  [[nodiscard]] std::int64_t tracked_tick(const ServerTime& at) const;

  Tree tree_;
  const std::int64_t tick_ms_;
  bool down_ = false;
  std::optional<std::int64_t> still_at_;  // the tick at which the session tracker stood still, until it goes on
  // Of an ensemble.
  Standing standing_ = Standing::leads;
  std::vector<std::string> missed_;  // nodes that have changed since it is apart
  std::set<std::int64_t> heard_;     // sessions that it has heard of since then
};

}  // namespace lockproof::sim::zookeeper
