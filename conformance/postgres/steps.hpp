// SPDX-License-Identifier: Apache-2.0
// The steps that the comparison runs on both sides, as data: time that passes, statements, and connections that end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/port/command.hpp"

namespace lockproof::conformance::postgres {

inline constexpr int connections = 4;

struct Step {
  enum class Kind : std::uint8_t { time, statement, end };
  Kind kind = Kind::time;
  std::int64_t ms = 0;  // that pass, by the server's wall clock
  int connection = 0;   // from 1
  Command command{std::vector<Value>{}};
  bool operator==(const Step&) const = default;
};
using Steps = std::vector<Step>;

/// Readable text, one step per line.
[[nodiscard]] std::string shown(const Steps& steps);

}  // namespace lockproof::conformance::postgres
