// SPDX-License-Identifier: Apache-2.0
// PostgresHost: a PostgreSQL of the scenario for the whole run: its processes, which may end and start again, its wall
// clock, and what it did, as the proxy saw it: which statement was answered how, and which connection has ended.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "real/clock/clock_page.hpp"
#include "real/clock/drift.hpp"
#include "real/os/janitor.hpp"
#include "real/services/postgres/cluster.hpp"
#include "real/services/postgres/lock_changes.hpp"
#include "real/services/postgres/pq_control.hpp"
#include "real/services/restartable_host.hpp"

namespace lockproof::real {

class PostgresHost final : public RestartableHost, public Replication {
 public:
  /// Starts it; `await_ready` must follow. `primary`: the port of the server that it is a standby of; 0: of none.
  /// `settings`: further ones of the server.
  PostgresHost(const harness::ServerSpec& spec, Janitor& janitor, std::int64_t speedup, const ServerProgram& program,
               int primary = 0, std::vector<std::string> settings = {});

  [[nodiscard]] int port() const override { return port_; }
  [[nodiscard]] ChildProcess& child() override { return *process_; }

  void await_ready() override;
  void start(WorldTime time, bool loses_power) override;

  [[nodiscard]] harness::Readings clocks(Duration at, Duration stood) override;
  void jump(Duration by) override { clock_.jump(by.count()); }
  void set_rate(Duration now, std::int64_t ppb) override;

  /// However it ends, what is committed is there when it starts again, and what belonged to connections is not.
  void kill() override;

  [[nodiscard]] bool shows(const std::string& key) override;

  bool finish() override;
  [[nodiscard]] std::vector<Execution> executions() override;
  [[nodiscard]] Replication* replication() override { return this; }
  /// A standby asks this port for what is committed; 0: it is promoted, which takes it some moments more.
  void replicate_from(int port) override;
  void follows(int port) override { primary_port_ = port; }
  [[nodiscard]] int master_port() const override { return primary_port_; }
  [[nodiscard]] bool in_step() override;
  void answered(const Proxy::Message& message, std::string_view reply) override;
  void ended(int port) override;

 private:
  void spawn() override;
  [[nodiscard]] bool is_up() override;
  [[nodiscard]] std::string folder() const override { return cluster_.folder(); }
  void require_our_clock();
  [[nodiscard]] Observation observed(int port) const;

  ClockPage clock_;
  Cluster cluster_;
  const bool standby_;
  int port_ = 0, primary_port_ = 0;
  std::unique_ptr<ChildProcess> process_;
  PqControl control_;
  std::vector<Observation> observed_;
  std::vector<Drift> drifts_{1};  // of its clocks, each from an instant on
  bool ready_ = false;
};

}  // namespace lockproof::real
