// SPDX-License-Identifier: Apache-2.0
// A number with what it counts.
#pragma once

#include <cstdint>
#include <string>

namespace lockproof::harness {

/// "1 state", "2 states".
[[nodiscard]] inline std::string plural(std::uint64_t n, const char* what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

}  // namespace lockproof::harness
