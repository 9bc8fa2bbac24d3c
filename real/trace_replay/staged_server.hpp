// SPDX-License-Identifier: Apache-2.0
// StagedServer: a redis-server of our own that does nothing unless it is told to: its wall clock stands still but for
// the director, who also decides when each command reaches it. Its keyspace events say what commands did.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/history/event.hpp"
#include "real/services/redis/server_process.hpp"
#include "real/trace_replay/replication_link.hpp"

namespace lockproof::real {

class StagedServer : public Pinned {
 public:
  /// Starts it; `await_ready` must follow. `loses_power`: it is going to. `program`: the path of another build; empty:
  /// the one in PATH.
  StagedServer(const harness::ServerSpec& spec, Janitor& janitor, bool loses_power, const std::string& program = {});
  /// Throws BadEnvironment.
  void await_ready();

  [[nodiscard]] const harness::ServerSpec& spec() const { return spec_; }
  [[nodiscard]] int port() const { return process_.port(); }
  [[nodiscard]] bool down() const { return down_; }
  void set_clock(std::int64_t wall_ms);
  /// At a world time, if it has only jumped so far.
  [[nodiscard]] std::int64_t wall_ms_at(Duration world) const;
  void jumped(Duration by) { ahead_ += by; }
  /// What it says of itself: "redis-server 7.0.15".
  [[nodiscard]] std::string version();

  /// Runs a command of a client's, at a world time. Messages that come before its reply are put aside.
  [[nodiscard]] Reply run(Wire& client, const std::vector<Value>& words, std::vector<Reply>& messages, Duration at);
  /// What has happened to keys since the last time, with the time to live that keys have now.
  [[nodiscard]] std::vector<harness::Effect> take_effects(std::int64_t wall_ms);
  /// The same as the server tells it: "set a".
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> take_events();
  /// Its keys have changed at this world time otherwise than by run().
  void note_log(Duration at);
  /// A copy is on disk as a whole when this returns.
  void await_rewrite();
  /// What is on disk now is all that it has ever had.
  void begin_anew();
  /// Looks anew at which replicas it has heard from lately enough.
  void look_at_replicas();
  /// Our own command.
  Reply ask(const std::vector<Value>& words) { return control_->ask(words); }
  /// The same of a server that may stand still: it does nothing else meanwhile.
  Reply ask_awake(const std::vector<Value>& words);

  void stop();
  void go_on();
  [[nodiscard]] bool stands() const { return stops_ > 0; }
  /// An orderly end.
  void shut_down();
  void kill();
  void lose_power(Duration at);
  /// With what was on disk, when its clock shows this. A replica keeps what has expired. Throws BadEnvironment.
  void start_again(std::int64_t wall_ms, bool as_replica);
  /// Deletes all keys, even where too few replicas are there for writes.
  void flush();
  /// Deletes a key as a server does that is short of memory. False: it would delete others too, and has done nothing.
  [[nodiscard]] bool evict(const std::string& key);

 private:
  void attend();
  void put_files() const;
  [[nodiscard]] bool expires(const std::string& key);
  void forget_log_before(std::int64_t size);
  [[nodiscard]] bool says(const char* section, std::string_view line);

  const harness::ServerSpec& spec_;
  const bool keeps_sizes_;
  ServerProcess process_;
  std::unique_ptr<Wire> control_, observer_;
  Duration ahead_;  // of world time
  const std::string folder_, snapshot_;
  std::vector<std::pair<Duration, std::int64_t>> log_sizes_;  // after each command
  std::int64_t wall_ms_ = 0;                                  // what its clock shows
  int marks_ = 0, stops_ = 0;
  bool down_ = false;
};

}  // namespace lockproof::real
