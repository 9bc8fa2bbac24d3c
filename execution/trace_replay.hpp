// SPDX-License-Identifier: Apache-2.0
// TraceReplay: one scenario run in the simulator, and done again step by step on real servers.
#pragma once

#include <cstdint>

#include "harness/history/history.hpp"
#include "harness/report/trace_replay.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/options.hpp"

namespace lockproof::execution {

struct ReplayedTrace {
  harness::TraceReplayReport report;
  harness::History history;  // with what the real servers answered and did
};

/// Confirmed only if the checkers say of the enacted history what they say of the predicted one. Throws
/// real::BadEnvironment.
[[nodiscard]] ReplayedTrace replay_trace(const harness::Scenario& scenario, std::uint64_t seed, int times = 1,
                                         const real::Programs& programs = {});

}  // namespace lockproof::execution
