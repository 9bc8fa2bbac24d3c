// SPDX-License-Identifier: Apache-2.0
// Node: one simulated PostgreSQL 15: its sessions, the rows that it has committed, and the statements that wait for
// another session's transaction. Rows end by its wall clock, in milliseconds.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/services/postgres/database.hpp"
#include "sim/world/service_model.hpp"

namespace lockproof::sim::postgres {

class Node final : public ServiceModel, public ReplicatedModel {
 public:
  NodeAnswer execute(const Request& request) override;
  [[nodiscard]] bool minds_connections() const override { return true; }
  /// A connection whose end the server has not read keeps what it has.
  [[nodiscard]] bool remembers(int connection) const override;
  std::vector<harness::Effect> connection_ended(int connection, const ServerTime& at) override;

  /// At once, if a statement that waits can go on.
  [[nodiscard]] std::optional<Duration> due(const HostClocks& clocks) const override;
  [[nodiscard]] std::vector<Answer> on_timer(const ServerTime& at) override;

  /// What was committed stays, however the process ends.
  std::vector<harness::Effect> stop(bool without_warning, const ServerTime& at) override;
  [[nodiscard]] ReplicatedModel* replication() override { return this; }

  void encode(StateEncoder& into, const std::map<int, int>& connections, const ServerTime& at,
              std::int64_t over_at_most_ms) const override;
  void residual(StateEncoder& into, const ServerTime& at, bool with_leased) const override;
  [[nodiscard]] Duration longest_lease(const ServerTime& at) const override;
  void each_reading(const HostClocks& clocks, const std::function<void(Duration)>& see) const override;
  [[nodiscard]] std::vector<std::int64_t> stamps() const override;

  // ReplicatedModel
  void set_replica(bool replica) override { standby_ = replica; }
  bool follow(int host) override;
  void unfollow(int host) override { asked_.erase(host); }
  void acknowledged(int host) override;
  void set_good(int /*host*/, bool /*good*/) override {}
  void send_copy(const ServiceModel& master) override;
  [[nodiscard]] bool copy_is_coming() const override { return copy_.has_value(); }
  bool lose_copy() override;
  std::vector<harness::Effect> load_copy(const ServerTime& at) override;
  std::vector<harness::Effect> run_propagated(const Command& command, const ServerTime& at) override;

  [[nodiscard]] const Database& database() const { return database_; }
  /// These are committed from now on.
  void restore(Rows rows) { database_.rows() = std::move(rows); }

 private:
  struct WaitingStatement {
    int connection;
    Command command;
    std::int64_t began_ms;  // by the wall clock
    bool applied = false;   // of a commit that waits for a standby: one has applied it
  };
  [[nodiscard]] bool commits(int connection) const;
  [[nodiscard]] bool can_go_on(const WaitingStatement& waiting) const;

  Database database_;
  std::vector<WaitingStatement> waiting_;  // in the order in which they came
  /// By standby: for each question that it has not answered, the connections whose commits came before.
  std::map<int, std::deque<std::vector<int>>> asked_;
  bool standby_ = false;
  std::optional<Rows> copy_;
};

}  // namespace lockproof::sim::postgres
