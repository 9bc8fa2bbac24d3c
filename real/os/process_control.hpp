// SPDX-License-Identifier: Apache-2.0
// ProcessControl: what runs as a host of the scenario, as faults see it: a process, or a program with all that it has
// started. Stopping and killing return when they have taken effect, so that later records are true.
#pragma once

#include "algorithms/port/pinned_object.hpp"

namespace lockproof::real {

class ProcessControl : public PinnedObject {
 public:
  virtual ~ProcessControl() = default;
  virtual void stop() = 0;   // SIGSTOP; returns when it stands still, or is dead
  virtual void go_on() = 0;  // SIGCONT
  virtual void kill() = 0;   // SIGKILL; returns when it is dead
  /// Whether it still runs or is stopped.
  [[nodiscard]] virtual bool alive() = 0;
};

}  // namespace lockproof::real
