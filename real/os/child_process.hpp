// SPDX-License-Identifier: Apache-2.0
// ChildProcess: a process that we forked. It ends with this object. Stopping and killing return when they have taken
// effect, so that later records are true.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "algorithms/port/pinned.hpp"

namespace lockproof::real {

class ChildProcess : public Pinned {
 public:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  ~ChildProcess() { kill(); }

  [[nodiscard]] pid_t pid() const { return pid_; }
  void stop();   // SIGSTOP; returns when it stands still, or is dead
  void go_on();  // SIGCONT
  void kill();   // SIGKILL; returns when it is dead and reaped
  /// Whether it still runs or is stopped; reaps it if not.
  [[nodiscard]] bool alive();
  /// Waits until the process has ended.
  void wait();
  /// How it ended, in words, if it ended otherwise than by itself with status 0.
  [[nodiscard]] std::optional<std::string> trouble() const;

 private:
  pid_t pid_;
  bool reaped_ = false;
  int status_ = 0;
};

/// In a child just forked by `parent`: it shall die with its parent, also if that has died already, and signals
/// from the terminal shall not reach it.
void die_with_parent(pid_t parent);

}  // namespace lockproof::real
