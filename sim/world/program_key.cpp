// SPDX-License-Identifier: Apache-2.0
// The part of World for programs that name the lock otherwise on their servers.
#include "harness/program/key_lease.hpp"
#include "sim/world/world.hpp"

namespace lockproof::sim {

const std::string& World::key_of_program() const {
  static const std::string as_the_scenario_does;
  const bool is_known = scenario_.program && scenario_.program->known_key.is_known();
  return is_known ? scenario_.program->known_key.name : as_the_scenario_does;
}

void World::name_as_the_lock(std::vector<harness::Effect>& effects) const {
  if (effects.empty() || key_of_program().empty()) return;
  for (harness::Effect& effect : effects) {
    if (effect.key == key_of_program()) effect.key = scenario_.lock;
  }
}

std::optional<harness::KeyChange> World::change_of_program(const std::vector<harness::Effect>& effects) const {
  if (!scenario_.program || !scenario_.program->known_key.is_known()) return std::nullopt;
  return harness::change_of_key(effects, key_of_program().empty() ? scenario_.lock : key_of_program());
}

}  // namespace lockproof::sim
