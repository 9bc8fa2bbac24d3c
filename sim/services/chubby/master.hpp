// SPDX-License-Identifier: Apache-2.0
// Master: a simulated Chubby cell, seen as the one of its replicas that is the master. What it has promised is in the
// database that the next master goes on with: as its process ends and starts again, the cell has failed over. It holds
// the answers to KeepAlives back.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/services/chubby/database.hpp"
#include "sim/world/service_model.hpp"

namespace lockproof::sim::chubby {

class Master final : public ServiceModel {
 public:
  [[nodiscard]] Queues queues() const override { return Queues::per_client; }
  NodeAnswer execute(const Request& request) override;
  void disconnected(int connection) override;
  /// Each call is one by itself: others do not wait behind a KeepAlive.
  [[nodiscard]] bool answers_in_order() const override { return false; }
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

  [[nodiscard]] const Database& database() const { return database_; }

 private:
  /// A KeepAlive that is not answered yet.
  struct PendingKeepAlive {
    int connection;
    SessionId session;
    std::int64_t since_us;
  };
  using Words = std::vector<Value>;
  Reply create_session(std::int64_t lease_ms, const Request& request);
  void keep_alive(SessionId id, Session& session, const Request& request, NodeAnswer& executed);
  [[nodiscard]] bool has_waiting(SessionId session) const;
  [[nodiscard]] bool is_idle(SessionId session) const;
  [[nodiscard]] std::int64_t ends_us(SessionId id, const Session& session) const;
  void forget_idle(const ServerTime& at);

  Database database_;
  std::vector<PendingKeepAlive> waiting_;  // in the order in which they came
  bool down_ = false;
};

}  // namespace lockproof::sim::chubby
