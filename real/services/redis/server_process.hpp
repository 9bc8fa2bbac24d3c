// SPDX-License-Identifier: Apache-2.0
// ServerProcess: one redis-server of our own on a free port of 127.0.0.1, with a wall clock under our control and its
// files in a private folder. It can end and start again on the same port with what was on disk. It ends with this
// process. Servers that we did not start are never touched.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/pinned_object.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/clock/clock_page.hpp"
#include "real/os/child_process.hpp"
#include "real/os/janitor.hpp"
#include "real/services/redis/redis_program.hpp"

namespace lockproof::real {

/// Options of a server that only some runs need.
struct ServerExtras {
  bool whole_life = false;               // all its clocks are scaled, not only its wall clock
  std::vector<std::string> arguments{};  // further arguments
  std::string program{};                 // the path of another build of redis-server; empty: the one in PATH
};

class ServerProcess : public PinnedObject {
 public:
  /// Starts it; `await_ready` must follow. `wall_us`: what its clock shows from now on. Throws BadEnvironment.
  ServerProcess(std::string name, Janitor& janitor, std::int64_t wall_us, std::int64_t speedup,
                harness::Persistence persistence = harness::Persistence::none, ServerExtras extras = {});
  ~ServerProcess();

  /// Returns when it answers. Throws BadEnvironment with what its log says if it does not.
  void await_ready();

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] ChildProcess& process() { return *process_; }
  [[nodiscard]] ClockPage& clock() { return clock_; }
  /// Sends a word that MONITOR shows, and waits until the server has run it. False: it does not answer.
  [[nodiscard]] bool mark(const std::string& word);
  /// Runs a command of our own. Nothing: the server does not answer.
  std::optional<Reply> ask(const std::vector<std::string>& words);
  /// The same for a server that may be waiting for data that we have to pass on to it. Nothing: it does not answer at
  /// once.
  std::optional<Reply> ask_soon(const std::vector<std::string>& words);

  /// Sends several commands, which the server runs in one go. Nothing: it does not answer.
  std::optional<std::vector<Reply>> ask_together(const std::vector<std::vector<std::string>>& commands);

  /// Ends it as its operator would, with time to save. It is dead afterwards.
  void shut_down();
  /// Starts it again on the same port; it must be dead.
  void spawn_again();
  /// Whether the server answers by now. Does not wait for it.
  [[nodiscard]] bool is_up();
  /// Makes our own connection anew, after the server has ended it.
  void reconnect() { static_cast<void>(connect()); }
  /// Bytes in the file that its commands are appended to; 0 without one.
  [[nodiscard]] std::int64_t log_size() const;
  /// Cuts that file off there. It must be dead.
  void cut_log(std::int64_t size) const;

 private:
  void spawn();
  [[nodiscard]] std::vector<std::string> arguments() const;
  [[nodiscard]] std::string log_file() const;
  [[nodiscard]] bool connect();
  void require_our_clock();
  void set_up();

  const std::string name_;
  Janitor& janitor_;
  const std::string folder_;
  bool did_not_answer_ = false;  // whether the last command had no answer, after which the link is made anew
  const harness::Persistence persistence_;
  const ServerExtras extras_;
  ClockPage clock_;
  std::unique_ptr<ChildProcess> process_;
  int port_ = 0;
  ControlLink control_;
};

}  // namespace lockproof::real
