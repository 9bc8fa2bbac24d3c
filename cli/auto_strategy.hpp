// SPDX-License-Identifier: Apache-2.0
// run --strategy auto: whether a space is small enough to be searched whole, or has to be hunted in.
#pragma once

#include <string>

#include "cli/hunt_options.hpp"

namespace lockproof::cli {

struct Choice {
  bool explores = false;
  std::string why;  // a line for a person
};

/// Searches up to a number of states, the same on every machine, and estimates the rest by random schedules. When
/// `stop` is requested, it is too large.
[[nodiscard]] Choice choose(const HuntOptions& options, const std::stop_token& stop);

}  // namespace lockproof::cli
