// SPDX-License-Identifier: Apache-2.0
// ServerHost: a server of the scenario for the whole run: its process, which may end and start again, its clocks, and
// what was seen of the commands that it ran. Faults of servers are made here.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/port/instant.hpp"
#include "harness/history/event.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/clock/drift.hpp"
#include "real/clock/world_time.hpp"
#include "real/network/event_loop.hpp"
#include "real/services/redis/monitor.hpp"
#include "real/services/redis/server_process.hpp"

namespace lockproof::real {

class ServerHost : public Pinned {
 public:
  ServerHost(const harness::ServerSpec& spec, Janitor& janitor, std::int64_t scale, ServerExtras extras);

  void await_ready();
  void attach(EventLoop& loop);
  /// Scenario time starts. `loses_power`: it shall be known how much would be lost.
  void start(WorldTime time, bool loses_power);

  [[nodiscard]] const harness::ServerSpec& spec() const { return spec_; }
  [[nodiscard]] ServerProcess& process() { return process_; }
  [[nodiscard]] bool down() const { return down_; }
  /// What its clocks show then, if it has been suspended for so long.
  [[nodiscard]] harness::Readings clocks(Duration at, Duration stood);
  void set_rate(Duration now, std::int64_t ppb);

  /// Everything that it has been sent is run, and seen by its monitor. False: it does not answer.
  bool finish();
  /// Ends it; what is on disk afterwards is what its persistence keeps.
  void shut_down();
  void lose_power();
  void kill();
  /// Starts it again; `up` is called when it answers.
  void start_again(std::function<void()> up);
  /// Lets go of the loop.
  void detach();
  /// Makes it a replica of the server at this port, or, with 0, a master.
  void replicate_from(int port);
  /// Somebody else has made it that.
  void follows(int port) { master_port_ = port; }
  /// Where it finds its master; 0: it has none.
  [[nodiscard]] int master_port() const { return master_port_; }
  /// It has ended the connections of all clients, maybe our own too: makes those anew.
  void watch_anew();
  [[nodiscard]] bool in_step();
  /// How many replicas it has heard from within the last second of its own clock.
  [[nodiscard]] int replicas_heard();
  /// Whether clients see this key; whether it is there, though its time may be over. Neither deletes it.
  [[nodiscard]] bool shows(const std::string& key);
  [[nodiscard]] bool has(const std::string& key);
  /// Is short of memory for a moment in which nobody else gets a word in, and evicts this key; if it can evict that one
  /// only together with others, deletes it. `mark` says in the log when.
  void evict(const std::string& key, const std::string& mark);
  /// Runs our own commands, all or none, and `mark`, which says in the log when.
  void run_marked(const Command& command, const std::string& mark);

  /// All that it ran, in its order, and when by its own stamps.
  [[nodiscard]] std::vector<Execution> executions() const;
  [[nodiscard]] Duration at(const Execution& execution) { return time_.at(stamped_ns(execution)); }

 private:
  [[nodiscard]] std::int64_t stamped_ns(const Execution& execution);
  void look_at_log();
  void look_whether_up();

  const harness::ServerSpec& spec_;
  ServerProcess process_;
  std::vector<std::unique_ptr<Monitor>> monitors_;  // one for each life of the process
  EventLoop* loop_ = nullptr;
  WorldTime time_{0, 1};
  std::vector<Drift> drifts_{{}};
  bool down_ = false;
  int marks_ = 0;
  int master_port_ = 0;
  std::function<void()> up_;
  std::int64_t give_up_ns_ = 0;
  std::unique_ptr<EventLoop::Timer> starting_;
  std::unique_ptr<EventLoop::Timer> look_;
  std::deque<std::pair<Duration, std::int64_t>> log_sizes_;  // when, bytes
};

}  // namespace lockproof::real
