// SPDX-License-Identifier: Apache-2.0
// Parted: a budget whose entries are told apart further, so that one search finds what each part does alone: what no
// lock can prevent, and, if asked for, where a fault strikes. The search covers the same schedules.
#pragma once

#include <vector>

#include "harness/scenario/scenario.hpp"
#include "search/core/exploration.hpp"

namespace lockproof::sim {

struct PartedBudget {
  harness::Bounds bounds;  // to search with
  struct Origin {
    std::size_t entry;
    std::vector<std::size_t> forms;
  };
  std::vector<Origin> origins;  // of each entry: which one of the whole budget, and which of its forms

  bool unpreventable = false;  // some part is a fault by which the server itself gives up a lock
  /// What has struck, in numbers of the whole budget.
  void number_as_whole(Exploration& found) const;
};

/// `by_spot`: also by where a client or a server is struck; see harness::Spot.
[[nodiscard]] PartedBudget parted(const harness::Scenario& searched, const harness::Bounds& whole, bool by_spot);

/// The budget with nothing told apart.
[[nodiscard]] PartedBudget undivided(const harness::Bounds& whole);

/// For each kind of violation, of the schedules that break it, one that a lock could have prevented, if there is one:
/// otherwise a fault that takes the lock away from whoever holds it would hide what the lock does wrong. REQUIRES: a
/// search with Limits::by_faults.
void prefer_preventable(const harness::Scenario& searched, const PartedBudget& of, Exploration& found);

}  // namespace lockproof::sim
