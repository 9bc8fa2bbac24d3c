// SPDX-License-Identifier: Apache-2.0
// ChildProcess: a process that we forked. It ends with this object. Stopping and killing return when they have taken
// effect, so that later records are true.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "real/os/process_control.hpp"

namespace lockproof::real {

class ChildProcess : public ProcessControl {
 public:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  /// Stopping, continuing and killing it are for its own children, too, as servers have that fork a process for each
  /// connection. `see` is told of each of them before it is stopped or killed.
  void with_children(std::function<void(pid_t)> see) { see_ = std::move(see); }
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
  [[nodiscard]] std::vector<pid_t> children() const;
  pid_t pid_;
  std::function<void(pid_t)> see_;  // empty: it has no children that matter
  bool reaped_ = false;
  int status_ = 0;
};

/// Waits until a process that was sent SIGSTOP stands still, or is gone.
void await_stop(pid_t pid);

/// In a child just forked by `parent`: it shall die with its parent, also if that has died already, and signals
/// from the terminal shall not reach it.
void die_with_parent(pid_t parent);

}  // namespace lockproof::real
