// SPDX-License-Identifier: Apache-2.0
// Coverage: which combinations of lock situation, fault and phase a run has met. The situation is what all clients are
// doing, and on how many servers the lock's key is there; like clients are not told apart. The faults are the kinds
// that have struck so far, each with what the host that it struck was doing then: the phase. (P, the language, calls
// the like "scenario coverage".)
#pragma once

#include <set>
#include <string>

#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::sim {

/// "inside waiting, key on all, pause of inside": every one that the history came through.
[[nodiscard]] std::set<std::string> combinations(const harness::History& history, const harness::Scenario& scenario);

}  // namespace lockproof::sim
