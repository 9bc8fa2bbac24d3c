// SPDX-License-Identifier: Apache-2.0
// StopReason: the limit that ended work before its end.
#pragma once

#include <cstdint>
#include <string>

namespace lockproof::harness {

enum class StopReason : std::uint8_t {
  none,
  interrupted,  // by a signal
  time,
  memory,
  exhausted,  // the machine gave no more memory
};

/// As words of a command line: "60s", "4G".
struct GivenLimits {
  std::string time, memory;
};

/// A sentence without its full stop; empty: none.
[[nodiscard]] inline std::string stop_text(StopReason reason, const GivenLimits& given) {
  switch (reason) {
    case StopReason::none: break;
    case StopReason::interrupted: return "it was interrupted";
    case StopReason::time: return "the time limit of " + given.time + " was reached";
    case StopReason::memory: return "the memory limit of " + given.memory + " was reached";
    case StopReason::exhausted: return "the machine gave no more memory";
  }
  return "";
}

}  // namespace lockproof::harness
