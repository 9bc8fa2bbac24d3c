// SPDX-License-Identifier: Apache-2.0
// CountedAsks: the steps of a run as a scenario writes them, in which the instant of an attempt is counted by its
// client's monotonic clock. That of a suspended host stands still meanwhile.
#pragma once

#include <vector>

#include "harness/scenario/scenario.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

class CountedAsks {
 public:
  /// REQUIRES: the world is at its beginning, and lives as long as this.
  explicit CountedAsks(World& world);
  /// Adds those of the recorded steps that it does not have yet. To be called behind each event: from there to an ask
  /// that is next, no clock changes its pace.
  void add_new(const std::vector<harness::Step>& recorded);
  [[nodiscard]] std::vector<harness::Step>& steps() { return steps_; }

 private:
  World& world_;
  std::vector<Mono> began_;  // by client
  std::vector<harness::Step> steps_;
};

}  // namespace lockproof::sim
