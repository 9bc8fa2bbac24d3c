// SPDX-License-Identifier: Apache-2.0
// run --strategy auto: whether a space is small enough to be searched whole, or has to be fuzzed in.
#pragma once

#include <stop_token>
#include <string>

#include "search/fuzz/fuzz.hpp"

namespace lockproof::execution {

struct Choice {
  bool explores = false;
  std::string why;  // a line for a person
};

/// A space, and how it would be fuzzed in.
struct Subject {
  harness::Scenario scenario;  // as written
  harness::Bounds bounds;
  bool alone = false;  // the scenario's own faults and steps are left out
  unsigned workers = 1;
  sim::Strategy strategy{};
};

/// Searches up to a number of states, the same on every machine, and estimates the rest by random schedules. When
/// `stop` is requested, it is too large.
[[nodiscard]] Choice choose(const Subject& subject, const std::stop_token& stop);

}  // namespace lockproof::execution
