// SPDX-License-Identifier: Apache-2.0
// A search by the stateful engine in which each expanded state is expanded a second time, by Successors alone, and both
// must say the same: that an entry of a row depends on its key and on nothing else. Debug builds always search so.
#pragma once

#include <cassert>

#include "search/core/exploration.hpp"

namespace lockproof::sim {

/// What tests plant, to see that it is noticed.
enum class PlantedMistake : std::uint8_t {
  none,
  budget_left_out,   // a row is found with another budget, too
  monitor_left_out,  // the first monitor does not see what happens
  early_by_one       // time that passes is a microsecond too short
};

[[nodiscard]] inline bool is_debug_build() {
  bool is = false;
  assert((is = true));
  return is;
}

struct Recheck {
  bool each_state = is_debug_build();
  PlantedMistake planted = PlantedMistake::none;
};

/// As explore_stateful. Throws std::logic_error where a row says something else than Successors.
[[nodiscard]] Exploration explore_rechecked(const harness::Scenario& scenario, const harness::Bounds& budget,
                                            const Limits& limits, const Recheck& recheck);

}  // namespace lockproof::sim
