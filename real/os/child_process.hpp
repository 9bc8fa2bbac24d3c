// SPDX-License-Identifier: Apache-2.0
// ChildProcess: a process that we forked. It ends with this object. Stopping and killing return when they have taken
// effect, so that later records are true.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "real/os/running.hpp"

namespace lockproof::real {

class ChildProcess : public Running {
 public:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  ~ChildProcess() override { kill_and_reap(); }

  [[nodiscard]] pid_t pid() const { return pid_; }
  void stop() override;
  void go_on() override;
  void kill() override { kill_and_reap(); }
  /// Whether it still runs or is stopped; reaps it if not.
  [[nodiscard]] bool alive() override;
  /// Waits until the process has ended.
  void wait();
  /// How it ended, in words, if it ended otherwise than by itself with status 0.
  [[nodiscard]] std::optional<std::string> trouble() const;

 private:
  void kill_and_reap();

  pid_t pid_;
  bool reaped_ = false;
  int status_ = 0;
};

/// Waits until a process that was sent SIGSTOP stands still, or is gone.
void await_stop(pid_t pid);

/// In a child just forked by `parent`: it shall die with its parent, also if that has died already, and signals
/// from the terminal shall not reach it.
void die_with_parent(pid_t parent);

}  // namespace lockproof::real
