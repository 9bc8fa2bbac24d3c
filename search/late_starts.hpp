// SPDX-License-Identifier: Apache-2.0
// Late starts: clocks that run at different rates are the further apart the later somebody asks. The engines of points
// let nobody wait for that, so a question with such clocks is asked again, with clients that start late.
#pragma once

#include <vector>

#include "harness/scenario/scenario.hpp"

namespace lockproof::search {

/// By which the slowest drift is half a lease, and two: none, if no clock drifts for the whole run. A start after more
/// than a day is left out.
[[nodiscard]] std::vector<Duration> late_starts(const harness::Scenario& searched, const harness::Bounds& bounds);

/// With one fault in a run, only what lets clocks drift: all else does the same as without a late start.
[[nodiscard]] harness::Bounds started_late(harness::Bounds bounds, const harness::Scenario& searched, Duration start);

}  // namespace lockproof::search
