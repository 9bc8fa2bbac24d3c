// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search/reduction/commuting_chooser.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

/// A world after some events of a schedule that `choices` gives. REQUIRES: its arguments outlive it. `reduced`: the
/// schedule was found by a search that leaves out orders of events that commute, so its choices are among the remaining
/// ones.
class ReexecutedWorld : public PinnedObject {
 public:
  ReexecutedWorld(const harness::Scenario& scenario, const harness::Bounds& budget, ModelFactory& models,
                  Chooser& choices, bool reduced, int events, bool record = false)
      : reduced_(choices, scenario, budget), world_(scenario, reduced ? static_cast<Chooser&>(reduced_) : choices,
                                                    {.record = record,
                                                     .record_inputs = false,
                                                     .token_name = {},
                                                     .budget = &budget,
                                                     .encoding = true,
                                                     .models = &models}) {
    reduced_.follow(world_);
    for (int i = 0; i < events; ++i) world_.step();
  }
  [[nodiscard]] World& world() { return world_; }

 private:
  CommutingChooser reduced_;
  World world_;
};

}  // namespace lockproof::sim
