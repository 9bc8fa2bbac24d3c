// SPDX-License-Identifier: Apache-2.0
// WorkerStays: what the workers' logs tell without one of the server: who was inside at the same time as whom, by
// clocks of which each may be wrong.
#pragma once

#include <vector>

#include "execution/judge/lines/line_kind.hpp"
#include "harness/report/answers/judged.hpp"

namespace lockproof::execution {

/// REQUIRES: no line of the logs is missing: without the server's log nothing tells that one is. settle_locks has
/// looked at them; each lock that they name is judged by itself.
/// `clocks`: no worker's clock is further from the true time, and none was set meanwhile. Times are the workers' own.
/// That nothing was violated is never said: somebody whose log is not here may have been inside.
[[nodiscard]] harness::JudgedReport judge_workers(const std::vector<WorkerLog>& workers, Duration clocks);

}  // namespace lockproof::execution
