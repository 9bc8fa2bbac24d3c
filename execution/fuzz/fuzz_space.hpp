// SPDX-License-Identifier: Apache-2.0
// FuzzSpace: the space that runs are drawn from, and how.
#pragma once

#include <optional>
#include <string>

#include "algorithms/port/pinned_object.hpp"
#include "search/fuzz/fuzz.hpp"

namespace lockproof::execution {

struct FuzzSpace : PinnedObject {
  harness::Scenario scenario;             // as written
  harness::Scenario fuzzed;               // within the bounds
  std::optional<harness::Bounds> bounds;  // nothing: the scenario alone
  std::string budget;                     // where they come from: the file, "[explore]"; empty: none
  bool another_lock = false;              // than the one that the scenario names
  bool alone = false;                     // the scenario's own faults and steps are left out
  sim::FuzzOrder order;                   // its budget points into this

  /// Fills in `fuzzed`, and the order's budget.
  void apply_bounds();
};

}  // namespace lockproof::execution
