// SPDX-License-Identifier: Apache-2.0
// RedisHost: a Redis server of the scenario for the whole run: its process, which may end and start again, its clocks,
// and the evidence of the commands that it ran. It injects the faults of servers.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "real/clock/drift.hpp"
#include "real/services/redis/monitor.hpp"
#include "real/services/redis/server_process.hpp"
#include "real/services/restartable_host.hpp"

namespace lockproof::real {

class RedisHost final : public RestartableHost, public Replication {
 public:
  /// Starts it; `await_ready` must follow. `must_hear`: the replicas that it must have heard from before the start.
  RedisHost(const harness::ServerSpec& spec, Janitor& janitor, std::int64_t speedup, ServerExtras extras,
            int must_hear = 0);

  [[nodiscard]] int port() const override { return process_.port(); }
  [[nodiscard]] ChildProcess& child() override { return process_.process(); }
  [[nodiscard]] ServerProcess& process() { return process_; }

  void await_ready() override;
  void attach(EventLoop& loop) override;
  void start(WorldTime time, bool loses_power) override;
  [[nodiscard]] bool is_settled() override { return must_hear_ == 0 || replicas_heard() >= must_hear_; }
  void detach() override;

  [[nodiscard]] harness::Readings clocks(Duration at, Duration stood) override;
  void jump(Duration by) override { process_.clock().jump(by.count()); }
  void set_rate(Duration now, std::int64_t ppb) override;

  void shut_down() override;
  void lose_power() override;

  [[nodiscard]] bool shows(const std::string& key) override;
  [[nodiscard]] bool has(const std::string& key) override;
  void apply(const harness::Fault& fault, const std::string& lock, const std::string& mark) override;
  /// Makes the server short of memory for a moment in which no other client's command runs, so that it evicts this key;
  /// if it can evict the key only together with others, deletes it. `mark` says in the log when.
  void evict(const std::string& key, const std::string& mark);

  bool finish() override;
  [[nodiscard]] std::vector<Execution> executions() override;
  /// Makes our own connections anew, after the server has ended the connections of all clients.
  void watch_anew();

  [[nodiscard]] Replication* replication() override { return this; }
  void replicate_from(int port) override;
  void follows(int port) override { master_port_ = port; }
  [[nodiscard]] int master_port() const override { return master_port_; }
  [[nodiscard]] bool in_step() override;

 private:
  /// The number of replicas that it has heard from within the last second of its own clock.
  [[nodiscard]] int replicas_heard();
  /// Runs our own commands, all or none, and `mark`, which says in the log when.
  void run_marked(const Command& command, const std::string& mark);
  void look_at_log();
  void spawn() override { process_.spawn_again(); }
  [[nodiscard]] bool is_up() override { return process_.is_up(); }
  [[nodiscard]] std::string folder() const override { return process_.folder(); }
  void resume(Duration now) override;

  const int must_hear_;
  ServerProcess process_;
  std::vector<std::unique_ptr<Monitor>> monitors_;  // one for each life of the process
  std::vector<Drift> drifts_{{}};
  int marks_ = 0;
  int master_port_ = 0;
  std::unique_ptr<EventLoop::Timer> look_;
  std::deque<std::pair<Duration, std::int64_t>> log_sizes_;  // when, bytes
};

}  // namespace lockproof::real
