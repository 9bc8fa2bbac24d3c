// SPDX-License-Identifier: Apache-2.0
// SentinelProcess: one Redis Sentinel of our own. Its whole life runs `speedup` times as fast as the machine, so that
// its settings and its own periods are in scenario time. Its configuration, which it rewrites, lies in the private
// folder. It dies with us.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "algorithms/port/pinned_object.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/clock/clock_page.hpp"
#include "real/network/event_loop.hpp"
#include "real/os/janitor.hpp"
#include "real/services/redis/redis_program.hpp"

namespace lockproof::real {

class SentinelProcess : public PinnedObject {
 public:
  struct Setup {
    std::string name;          // its own
    std::string source;        // the address that it calls from
    int master_port = 0;       // where it finds the master
    std::size_t replicas = 0;  // number of replicas that it has to find
    std::int64_t speedup = 1;
    std::string program{};  // the path of another build of redis-server; empty: the one in PATH
  };
  /// Starts it. Throws BadEnvironment.
  SentinelProcess(Setup setup, const harness::SentinelSpec& spec, Janitor& janitor);
  ~SentinelProcess();

  /// Called for each message that the sentinel publishes, with its channel ("+sdown") and its text.
  using MessageHandler = std::function<void(const std::string& channel, const std::string& text)>;
  void attach(EventLoop& loop, MessageHandler told);

  /// Whether it has found the master, all replicas and all other sentinels. Does not wait for it. Throws BadEnvironment
  /// if it never will.
  [[nodiscard]] bool ready();
  void kill() { process_->kill(); }

 private:
  void start();
  [[nodiscard]] std::string configuration() const;
  [[nodiscard]] bool connect();
  void set_up();
  void read();
  struct Subscription;

  const Setup setup_;
  const harness::SentinelSpec& spec_;
  Janitor& janitor_;
  const std::string folder_;
  int port_ = 0;
  int starts_ = 0;
  ClockPage clock_;
  std::unique_ptr<ChildProcess> process_;
  ControlLink control_;
  EventLoop* loop_ = nullptr;
  MessageHandler told_;
  std::unique_ptr<Subscription> subscription_;
};

}  // namespace lockproof::real
