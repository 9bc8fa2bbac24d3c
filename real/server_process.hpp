// SPDX-License-Identifier: Apache-2.0
// ServerProcess: one redis-server of our own on a free port of 127.0.0.1, without persistence, its wall clock under our
// control. It dies with us. We never touch a server that we did not start.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "algorithms/port/pinned.hpp"
#include "real/child_process.hpp"
#include "real/clock_page.hpp"
#include "real/janitor.hpp"

struct redisContext;

namespace lockproof::real {

class ServerProcess : public Pinned {
 public:
  /// Starts it; `await_ready` must follow. `wall_us`: what its clock shows from now on. Throws BadEnvironment.
  ServerProcess(std::string name, Janitor& janitor, std::int64_t wall_us, std::int64_t scale);
  ~ServerProcess();

  /// Returns when it answers. Throws BadEnvironment with what its log says if it does not.
  void await_ready();

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] ChildProcess& process() { return *process_; }
  [[nodiscard]] ClockPage& clock() { return clock_; }
  /// Sends a word that MONITOR shows, and waits until the server has run it. False: it does not answer.
  [[nodiscard]] bool mark(const std::string& word);

 private:
  void spawn();
  [[nodiscard]] bool connect();
  [[nodiscard]] std::string last_words() const;

  const std::string name_;
  Janitor& janitor_;
  ClockPage clock_;
  std::unique_ptr<ChildProcess> process_;
  int port_ = 0;
  struct Disconnect {
    void operator()(redisContext* context) const;
  };
  std::unique_ptr<redisContext, Disconnect> control_;
};

}  // namespace lockproof::real
