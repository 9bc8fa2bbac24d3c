// SPDX-License-Identifier: Apache-2.0
// Vacuity: what no schedule of a search has exercised, and so must not be claimed: no clients contended, or a fault of
// the scenario or of the budget never struck.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/scenario/scenario.hpp"
#include "search/core/exploration.hpp"

namespace lockproof::sim {

/// Faults of a budget that have struck.
using FaultSpan = std::set<Budget::Offer>;

/// The faults that never struck, as they are written in the budget: an entry, or a setting of one that lists several
/// ("half-open, losing the reply"), at any host. Empty: each has struck, or none may.
[[nodiscard]] std::vector<std::string> never_struck(const harness::Bounds& bounds, const FaultSpan& struck);

/// The faults that struck only some of the hosts which the budget names as "servers", "clients" or not at all, with the
/// hosts that they never struck: "pause of redis-2". `alike`: the search used the symmetry of clients, so nothing is
/// known about single clients.
[[nodiscard]] std::vector<std::string> hosts_never_struck(const harness::Bounds& bounds, const FaultSpan& struck,
                                                          const std::vector<std::string>& clients, bool alike);

/// The reason for which no schedule exercised the lock; empty: one did.
[[nodiscard]] std::string why_uncontended(const TestCoverage& tested);

/// The reason for which a complete search has shown nothing; empty: it has.
[[nodiscard]] std::string why_vacuous(const harness::Scenario& scenario, const harness::Bounds& bounds,
                                      const TestCoverage& tested);

/// The rounds that began in some schedule of a complete search, and got the lock in none.
struct LockedOutRounds {
  std::string what;        // the rounds by client, as a sentence; empty: there are none
  bool everybody = false;  // all clients come to a round of one number, and none of them gets the lock in it
};

/// Of a period, it is enough that one client gets it.
[[nodiscard]] LockedOutRounds shut_out(const harness::Scenario& scenario, const TestCoverage& tested);

}  // namespace lockproof::sim
