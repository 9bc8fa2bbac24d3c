// SPDX-License-Identifier: Apache-2.0
// How a program names the lock on its servers, from the beginning of a run without faults.
#pragma once

#include <string>

#include "harness/scenario/scenario.hpp"

namespace lockproof::sim {

/// The name of the first key that it makes, by the rule of real runs (harness/program/made_key.hpp); empty: it makes
/// none within two leases. REQUIRES: the scenario has a program in virtual time.
[[nodiscard]] std::string key_of_program(const harness::Scenario& scenario);

}  // namespace lockproof::sim
