// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/faults/operators.hpp"

#include <chrono>

namespace lockproof::harness {

std::optional<Command> operators_command(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::flush: return Command({"FLUSHALL"});
    case FaultKind::script_flush: return Command({"SCRIPT", "FLUSH"});
    case FaultKind::client_pause: {
      const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(fault.lasts);
      return Command({"CLIENT", "PAUSE", time, fault.reads_too ? "ALL" : "WRITE"});
    }
    default: return std::nullopt;
  }
}

}  // namespace lockproof::harness
