// SPDX-License-Identifier: Apache-2.0
// What a lock costs: measured in two runs, and not estimated.
#pragma once

#include <optional>
#include <string>

#include "execution/review/review_scenario.hpp"

namespace lockproof::execution {

struct Cost {
  std::string text;                          // "2 commands, free 44 s after a crash"
  std::optional<Duration> free_after_crash;  // nothing: never
};
/// The commands that one client sends to servers for one job that nothing disturbs, and the time from a holder's crash
/// to the next grant.
[[nodiscard]] Cost cost_of(const Review& review, Setting setting, const std::string& name);

}  // namespace lockproof::execution
