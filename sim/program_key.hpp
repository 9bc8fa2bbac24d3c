// SPDX-License-Identifier: Apache-2.0
// Which key on its servers a program in virtual time has as its lock.
#pragma once

#include "harness/scenario/scenario.hpp"

namespace lockproof::sim {

/// Learned from a run without faults, by the rule of real runs (harness/program/learned_key.hpp). REQUIRES: the
/// scenario has a program in virtual time.
[[nodiscard]] harness::ProgramKey key_of_program(const harness::Scenario& scenario);

}  // namespace lockproof::sim
