// SPDX-License-Identifier: Apache-2.0
// One scenario in both worlds, for tests of where the two once differed.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "real/run/run.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::tests {

/// Runs it in one world after the other.
inline void in_both_worlds(const harness::Scenario& s, const std::function<void(const harness::History&)>& look) {
  const std::pair<const char*, harness::History> histories[] = {{"simulated", run(s)}, {"real", real::run(s, {})}};
  for (const auto& [world, history] : histories) {
    SCOPED_TRACE(world);
    look(history);
  }
}

inline std::string fault_of(const std::string& target, const std::string& kind, const std::string& rest) {
  return "[[fault]]\nkind = \"" + kind + "\"\ntarget = \"" + target + "\"\n" + rest;
}

}  // namespace lockproof::tests
