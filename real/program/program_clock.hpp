// SPDX-License-Identifier: Apache-2.0
// ProgramClock: the clocks of a program under test that lives faster than the machine: as fast as the scenario. What it
// starts lives by them, too. The program takes its time from libc, through a preloaded shim; whether it does is
// counted.
#pragma once

#include <string>
#include <vector>

#include "algorithms/port/pinned_object.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/clock/clock_page.hpp"
#include "real/clock/world_time.hpp"
#include "real/os/descriptor.hpp"

namespace lockproof::real {

/// Whether the programs of this scenario need clocks of their own: faster ones, or wall clocks that are set.
[[nodiscard]] bool needs_own_clocks(const harness::Scenario& scenario);

class ProgramClock : public PinnedObject {
 public:
  /// Throws BadEnvironment.
  explicit ProgramClock(std::int64_t speedup);

  /// What the program's environment needs, NAME=value.
  [[nodiscard]] std::vector<std::string> variables() const;
  /// Its wall clock shows the scenario's time from now on, and is this much ahead.
  void start(WorldTime time, Duration ahead);
  void set_ahead(Duration ahead);
  /// Whether it has asked for the time, or waited for some.
  [[nodiscard]] bool is_used() const { return page_.calls() > 0; }

 private:
  ClockPage page_;
  const Descriptor shim_;
  Duration ahead_{};
};

}  // namespace lockproof::real
