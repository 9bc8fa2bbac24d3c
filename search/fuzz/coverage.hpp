// SPDX-License-Identifier: Apache-2.0
// Coverage: which combinations of lock situation, fault and phase a run has met. The situation is the phases of all
// clients, and the number of servers that have the lock's key; interchangeable clients are not told apart. The faults
// are the kinds that have struck so far, each with the phase in which the struck host was then. (The language P calls a
// similar measure "scenario coverage".)
#pragma once

#include <set>
#include <string>

#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::sim {

/// "inside waiting, key on all, pause of inside": each combination that occurs in the history.
[[nodiscard]] std::set<std::string> combinations(const harness::History& history, const harness::Scenario& scenario);

}  // namespace lockproof::sim
