// SPDX-License-Identifier: Apache-2.0
// The part of World for programs that name the lock otherwise on their servers.
#include "sim/world/world.hpp"

namespace lockproof::sim {

const std::string& World::key_of_program() const {
  static const std::string as_the_scenario_does;
  return scenario_.program ? scenario_.program->in_virtual_time.key : as_the_scenario_does;
}

void World::name_as_the_lock(std::vector<harness::Effect>& effects) const {
  if (effects.empty() || key_of_program().empty()) return;
  for (harness::Effect& effect : effects) {
    if (effect.key == key_of_program()) effect.key = scenario_.lock;
  }
}

}  // namespace lockproof::sim
