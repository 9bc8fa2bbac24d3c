// SPDX-License-Identifier: Apache-2.0
// What a lock costs: measured in two runs, and not estimated.
#pragma once

#include <string>

#include "execution/review/review_scenario.hpp"

namespace lockproof::execution {

/// "2 commands a job, free 44s after a crash": the commands that one client sends to servers for one job that nothing
/// disturbs, and the time from a holder's crash to the next grant.
[[nodiscard]] std::string cost_text(const Review& review, Setting setting, const std::string& name);

}  // namespace lockproof::execution
