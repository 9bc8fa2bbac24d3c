// SPDX-License-Identifier: Apache-2.0
// The steps that the comparison runs on both sides, as data: commands, and ticks that pass.
#pragma once

#include <string>
#include <vector>

#include "algorithms/port/value.hpp"

namespace lockproof::conformance::memcached {

struct Step {
  int ticks = 0;               // ticks that pass; 0: it is a command
  std::vector<Value> words{};  // numbers of items are counted from the first one of the sequence
  bool operator==(const Step&) const = default;
};
using Steps = std::vector<Step>;

/// Readable text, one step per line.
[[nodiscard]] std::string shown(const Steps& steps);

}  // namespace lockproof::conformance::memcached
