// SPDX-License-Identifier: Apache-2.0
// StagedServer: a redis-server of our own that acts only on request: the director moves its wall clock and decides when
// each command reaches it. Its keyspace events show the effects of commands.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/history/event.hpp"
#include "real/services/redis/server_process.hpp"
#include "real/trace_replay/replication_link.hpp"

namespace lockproof::real {

class StagedServer : public PinnedObject {
 public:
  /// Starts it; `await_ready` must follow. `loses_power`: the run has a power cut of it. `program`: the path of another
  /// build; empty: the one in PATH.
  StagedServer(const harness::ServerSpec& spec, Janitor& janitor, bool loses_power, const std::string& program = {});
  /// Throws BadEnvironment.
  void await_ready();

  [[nodiscard]] const harness::ServerSpec& spec() const { return spec_; }
  [[nodiscard]] int port() const { return process_.port(); }
  [[nodiscard]] bool down() const { return down_; }
  void set_clock(std::int64_t wall_ms);
  /// Its wall clock at a world time, with all jumps up to now.
  [[nodiscard]] std::int64_t wall_ms_at(Duration world) const;
  void jumped(Duration by) { ahead_ += by; }
  /// The server's own description: "redis-server 7.0.15".
  [[nodiscard]] std::string version();

  /// Runs a client's command at a world time. Messages that come before its reply are kept for later.
  [[nodiscard]] Reply run(Wire& client, const std::vector<Value>& words, std::vector<Reply>& messages, Duration at);
  /// The changes of keys since the last call, with the time to live that keys have now.
  [[nodiscard]] std::vector<harness::Effect> take_effects(std::int64_t wall_ms);
  /// The same in the server's own form: "set a".
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> take_events();
  /// Notes that its keys have changed at this world time by something other than run().
  void note_log(Duration at);
  /// Returns when a copy is completely on disk.
  void await_rewrite();
  /// Takes what is on disk now as the beginning of its log.
  void begin_anew();
  /// Makes the server count again the replicas that it has heard from recently enough.
  void look_at_replicas();
  /// Runs a command of our own.
  Reply ask(const std::vector<Value>& words) { return control_->ask(words); }
  /// The same for a server that may be stopped: it does nothing else meanwhile.
  Reply ask_awake(const std::vector<Value>& words);

  void stop();
  void go_on();
  [[nodiscard]] bool stands() const { return stops_ > 0; }
  /// An orderly end.
  void shut_down();
  void kill();
  void lose_power(Duration at);
  /// Starts it with what was on disk, when its clock shows `wall_ms`. A replica keeps keys that have expired. Throws
  /// BadEnvironment.
  void start_again(std::int64_t wall_ms, bool as_replica);
  /// Deletes all keys, even where too few replicas are there for writes.
  void flush();
  /// Deletes a key as a server does that is short of memory. False: others would be deleted too, so nothing was done.
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
  Duration ahead_;  // ahead of world time
  const std::string folder_, snapshot_;
  std::vector<std::pair<Duration, std::int64_t>> log_sizes_;  // after each command
  std::int64_t wall_ms_ = 0;                                  // what its clock shows
  int marks_ = 0, stops_ = 0;
  bool down_ = false;
};

}  // namespace lockproof::real
