// SPDX-License-Identifier: Apache-2.0
// TestCoverage: what some schedules have exercised. A search must claim nothing about the rest.
#pragma once

#include <set>

#include "search/core/checkpoint.hpp"
#include "search/core/round_coverage.hpp"
#include "sim/world/budget.hpp"

namespace lockproof::sim {

struct TestCoverage {
  bool acquired = false, contended = false;
  std::set<int> struck;               // faults of the scenario, by number
  std::set<Budget::Offer> of_budget;  // its faults that have struck
  RoundCoverage rounds;

  void add(const TestCoverage& more);
  void write(CheckpointOut& out) const;
  void read(CheckpointIn& in);
};

}  // namespace lockproof::sim
