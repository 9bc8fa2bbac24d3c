// SPDX-License-Identifier: Apache-2.0
// Vacuity: what no schedule of a search has put to the test, and so must not be claimed. Nobody contended, or a fault
// of the scenario or of the budget struck nowhere.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/scenario/scenario.hpp"
#include "sim/explore/exploration.hpp"

namespace lockproof::sim {

/// Of a budget's faults.
using Struck = std::set<Budget::Offer>;

/// As they are written in the budget: an entry, or a setting of one that lists several ("drop, losing the reply"),
/// whatever it strikes. Empty: each has struck, or none may.
[[nodiscard]] std::vector<std::string> never_struck(const harness::Bounds& bounds, const Struck& struck);

/// Of the others, those that struck some hosts and never others, which the budget names as "servers", "clients" or not
/// at all: "pause of redis-2". `alike`: clients stood for each other, so nothing is said of them.
[[nodiscard]] std::vector<std::string> hosts_never_struck(const harness::Bounds& bounds, const Struck& struck,
                                                          const std::vector<std::string>& clients, bool alike);

/// Why the lock was not put to the test in any schedule; empty: it was.
[[nodiscard]] std::string why_uncontended(const Tested& tested);

/// Why a complete search has shown nothing; empty: it has.
[[nodiscard]] std::string why_vacuous(const harness::Scenario& scenario, const harness::Bounds& bounds,
                                      const Tested& tested);

}  // namespace lockproof::sim
