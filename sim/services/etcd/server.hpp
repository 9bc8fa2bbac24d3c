// SPDX-License-Identifier: Apache-2.0
// Server: one simulated etcd 3.4 that is a cluster of its own. Keys, leases and revisions are on its disk before it
// answers, and outlive its process. A lease ends when the server looks for those that are over, twice a second.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/services/etcd/keyspace.hpp"
#include "sim/world/service_model.hpp"

namespace lockproof::sim::etcd {

class Server final : public ServiceModel {
 public:
  /// `lock`: it is free if there is no key of this name, nor one under it.
  explicit Server(std::string lock) : lock_(std::move(lock)) {}

  [[nodiscard]] Queues queues() const override { return Queues::per_client; }
  NodeAnswer execute(const Request& request) override;
  void disconnected(int connection) override;
  [[nodiscard]] std::optional<Duration> due(const HostClocks& clocks) const override;
  [[nodiscard]] std::vector<Answer> on_timer(const ServerTime& at) override;
  [[nodiscard]] bool acts_alone() const override { return true; }
  [[nodiscard]] OwnActs act(const ServerTime& at) override;
  std::vector<harness::Effect> stop(bool without_warning, const ServerTime& at) override;
  void restart(const ServerTime& at) override;
  void encode(StateEncoder& into, const std::map<int, int>& connections, const ServerTime& at,
              std::int64_t over_at_most_ms) const override;
  void residual(StateEncoder& into, const ServerTime& at, bool with_leased) const override;
  [[nodiscard]] Duration longest_lease(const ServerTime& at) const override;
  void each_reading(const HostClocks& clocks, const std::function<void(Duration)>& see) const override;
  [[nodiscard]] std::optional<Recurrence> ticks(const HostClocks& clocks, const ServerTime& at) const override;

  [[nodiscard]] const Keyspace& keyspace() const { return keyspace_; }

 private:
  struct Scene;
  struct PendingKeepAlive {
    int connection;
    std::int64_t lease;
  };
  using Words = std::vector<Value>;

  /// Nothing: the reply comes later.
  std::optional<Reply> run(const Scene& scene, const Words& words);
  std::optional<Reply> run_on_lease(const Scene& scene, const std::string& verb, std::int64_t id);
  Reply run_on_key(const Scene& scene, const std::string& verb, const Words& words);
  Reply put_if_absent(const Scene& scene, const Words& words);
  Reply remove(const Scene& scene, const std::string& key);
  Reply watch(const Scene& scene, const std::string& key, std::int64_t from);
  void deleted(const Scene& scene, const std::string& key);
  [[nodiscard]] std::optional<Key> holder() const;
  void settle(const Scene& scene, const std::optional<Key>& before, harness::Change how);
  static void extend(Lease& lease, const ServerTime& at, std::int64_t further_s = 0);
  [[nodiscard]] static Duration scan_for(const Lease& lease, const HostClocks& clocks);

  const std::string lock_;
  Keyspace keyspace_;
  std::vector<PendingKeepAlive> waiting_;  // keep-alives of leases that are over and have not ended yet
  bool down_ = false;
};

}  // namespace lockproof::sim::etcd
