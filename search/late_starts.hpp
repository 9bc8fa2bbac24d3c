// SPDX-License-Identifier: Apache-2.0
// Late starts: clocks that run at different rates are the further apart the later somebody asks. The engines of points
// let nobody wait for that, so a question with such clocks is asked again, with clients that start late.
#pragma once

#include <vector>

#include "harness/scenario/scenario.hpp"

namespace lockproof::search {

/// By which the slowest drift is half a lease, and two: none, if no clock drifts for the whole run, or if the scenario
/// says until when somebody has asked. A start after more than a day is left out.
[[nodiscard]] std::vector<Duration> late_starts(const harness::Scenario& searched, const harness::Bounds& bounds);

/// Everybody starts so much later. With one fault in a run, only what lets clocks drift is left of the budget: all else
/// does the same as without a late start.
void start_late(harness::Scenario& scenario, harness::Bounds& bounds, Duration start);

}  // namespace lockproof::search
