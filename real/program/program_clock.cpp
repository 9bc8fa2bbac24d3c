// SPDX-License-Identifier: Apache-2.0
#include "real/program/program_clock.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "real/clock/clock_layout.h"
#include "real/clock/shim_file.hpp"

namespace lockproof::real {
namespace {

/// Of a descriptor of this process, for all that the program starts: that inherits no descriptors, as a rule.
std::string path_of(int descriptor) { return fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor); }

}  // namespace

bool needs_own_clocks(const harness::Scenario& scenario) {
  if (scenario.program->clock == harness::ProgramClock::scaled) return true;
  return std::ranges::any_of(scenario.clients, [&](const harness::ClientSpec& client) {
    return client.clock.wall != Duration{} || std::ranges::any_of(scenario.faults, [&](const harness::Fault& fault) {
             return fault.kind == harness::FaultKind::clock_jump && fault.target == client.name;
           });
  });
}

ProgramClock::ProgramClock(std::int64_t speedup) : page_(epoch_us, speedup, true), shim_(open_program_shim()) {
  page_.count_calls();
}

std::vector<std::string> ProgramClock::variables() const {
  return {fmt::format("LD_PRELOAD={}", path_of(shim_.get())),
          fmt::format("{}={}", LOCKPROOF_CLOCK_VARIABLE, path_of(page_.descriptor()))};
}

void ProgramClock::start(WorldTime time, Duration ahead) {
  page_.start(time.start_ns(), epoch_us + ahead.count(), time.speedup());
  ahead_ = ahead;
}

void ProgramClock::set_ahead(Duration ahead) {
  page_.jump((ahead - ahead_).count());
  ahead_ = ahead;
}

}  // namespace lockproof::real
