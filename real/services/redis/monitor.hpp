// SPDX-License-Identifier: Apache-2.0
// Monitor: what a Redis server executes, seen from the server: its MONITOR lines and its keyspace events, both over one
// connection, so that their order is the server's. Redis sends a command's events before the command's own line; only a
// script's line comes first, then for each call inside it the events and a line marked "lua" (observed with 7.0).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/history/event.hpp"
#include "real/network/event_loop.hpp"
#include "real/os/descriptor.hpp"
#include "real/services/redis/monitor_line.hpp"

struct redisReader;

namespace lockproof::real {

/// A command that a server ran, as MONITOR shows it.
struct MonitoredCommand {
  std::int64_t stamp_us = 0;     // by the server's wall clock
  std::int64_t received_ns = 0;  // machine instant when we received it
  int port = 0;                  // port of the connection that it came on
  std::vector<Value> words;
  std::vector<harness::Effect> effects;
};

class Monitor : public PinnedObject {
 public:
  /// Sees all commands that start after this. Throws BadEnvironment.
  explicit Monitor(int port);
  ~Monitor();
  void attach(EventLoop& loop);

  [[nodiscard]] const std::vector<MonitoredCommand>& executions() const { return executions_; }
  /// Reads until it has seen ECHO of this word, or the connection's end, at most some seconds.
  void read_until(const std::string& word);
  /// Reads what has come. False: the server has ended the connection.
  [[nodiscard]] bool read_rest();

 private:
  bool read(bool wait);
  void see(std::string_view line);
  void settle(const MonitorLine& line, std::vector<harness::Effect>& into);

  Descriptor socket_;
  redisReader* reader_;
  std::unique_ptr<EventLoop::Watch> watch_;
  std::vector<harness::Effect> pending_;  // events whose line has not come yet
  std::vector<MonitoredCommand> executions_;
  bool ended_ = false;
};

}  // namespace lockproof::real
