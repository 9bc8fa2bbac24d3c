// SPDX-License-Identifier: Apache-2.0
// MemcachedHost: a memcached server of the scenario for the whole run: its process, which may end and start again, its
// clocks, and its log of the commands that it ran. All its clocks are scaled, since it counts its items' time by the
// monotonic clock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "real/clock/clock_page.hpp"
#include "real/os/janitor.hpp"
#include "real/services/memcached/text_client.hpp"
#include "real/services/memcached/watched_log.hpp"
#include "real/services/restartable_host.hpp"
#include "real/services/server_program.hpp"

namespace lockproof::real {

class MemcachedHost final : public RestartableHost {
 public:
  /// Starts it; `await_ready` must follow. `phase`: the scenario time of its first tick.
  MemcachedHost(const harness::ServerSpec& spec, Duration phase, Janitor& janitor, std::int64_t speedup,
                ServerProgram program);

  [[nodiscard]] int port() const override { return port_; }
  [[nodiscard]] ChildProcess& child() override { return *process_; }

  void await_ready() override;
  void attach(EventLoop& loop) override;
  void start(WorldTime time, bool loses_power) override;
  [[nodiscard]] bool is_settled() override { return settled_; }
  void detach() override;

  [[nodiscard]] harness::Readings clocks(Duration at, Duration stood) override;
  void jump(Duration by) override { clock_.jump(by.count()); }
  void set_rate(Duration now, std::int64_t ppb) override;

  [[nodiscard]] bool shows(const std::string& key) override;
  /// An eviction is made by deleting the item, which leaves the others unchanged.
  void apply(const harness::Fault& fault, const std::string& lock, const std::string& mark) override;

  bool finish() override;
  [[nodiscard]] std::vector<Execution> executions() override;

  [[nodiscard]] TextClient& control() { return control_; }

 private:
  struct Life {  // one life of the process
    std::unique_ptr<WatchedLog> log;
    Duration ticks_from{};  // the scenario time of one of its ticks
  };
  void spawn() override;
  [[nodiscard]] bool is_up() override;
  [[nodiscard]] std::string folder() const override { return folder_; }
  void resume(Duration now) override;
  void require_our_clock();
  void add(const Life& life, std::vector<Execution>& all);

  const Duration phase_;
  Janitor& janitor_;
  const ServerProgram program_;
  const std::string folder_;
  ClockPage clock_;
  int port_ = 0;
  std::unique_ptr<ChildProcess> process_;
  TextClient control_;
  std::vector<Life> lives_;
  bool settled_ = false;
  int marks_ = 0;
  std::unique_ptr<EventLoop::Timer> first_tick_;
};

}  // namespace lockproof::real
