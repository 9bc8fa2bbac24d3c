// SPDX-License-Identifier: Apache-2.0
// ZooKeeperHost: a ZooKeeper of the scenario for the whole run: its process, which may end and start again with all
// that it had written, and what it did, by its transaction log and by its answers as the proxy saw them. It counts by
// the machine's clocks: its tick is the scenario's divided by the speed, and a time-out is divided where it crosses the
// wire.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "real/os/janitor.hpp"
#include "real/services/restartable_host.hpp"
#include "real/services/zookeeper/queue_changes.hpp"
#include "real/services/zookeeper/zookeeper_control.hpp"
#include "real/services/zookeeper/zookeeper_ensemble.hpp"
#include "real/services/zookeeper/zookeeper_program.hpp"

namespace lockproof::real {

class ZooKeeperHost final : public RestartableHost {
 public:
  /// Starts it; `await_ready` must follow. `lock`: the node whose children are the queue. `tick`: as its clock counts.
  /// `ensemble`: of which it becomes the next member; null: it stands alone.
  ZooKeeperHost(const harness::ServerSpec& spec, Janitor& janitor, std::string lock, milliseconds tick,
                const std::string& jar, ZooKeeperEnsemble* ensemble = nullptr);

  [[nodiscard]] int port() const override { return port_; }
  [[nodiscard]] ChildProcess& child() override { return *process_; }

  /// Makes the lock's node, and runs some commands of each kind, since a JVM is slow in its first ones.
  void await_ready() override;
  void start(WorldTime time, bool loses_power) override;

  [[nodiscard]] bool shows(const std::string& key) override;

  bool finish() override;
  [[nodiscard]] std::vector<Execution> executions() override;
  void answered(const Proxy::Message& message, std::string_view reply) override;

  /// The id of a session of our own from before the run: later ones have the ids behind it.
  [[nodiscard]] std::int64_t session_before() const { return session_before_; }

 private:
  void spawn() override { process_ = program_.start(port_, tick_); }
  [[nodiscard]] bool is_up() override { return program_.is_up(port_); }
  [[nodiscard]] std::string folder() const override { return program_.folder(); }
  void prepare();

  const std::string lock_;
  const milliseconds tick_;
  ZooKeeperEnsemble* const ensemble_;
  std::size_t member_ = 0;  // its place in the ensemble
  ZooKeeperProgram program_;
  int port_ = 0;
  std::unique_ptr<ChildProcess> process_;
  std::int64_t session_before_ = 0;
  std::map<int, std::int64_t> sessions_;  // of connections, by the port of the client's end
  std::vector<ServerAnswer> answered_;
  std::int64_t wall_ahead_ns_ = 0;  // the machine's wall clock is this much ahead of the monotonic one
};

}  // namespace lockproof::real
