// SPDX-License-Identifier: Apache-2.0
// What programs in virtual time asked simulated servers for that these lack and a real server has: what comes of it
// tells nothing about the programs.
#pragma once

#include <string>

#include "harness/scenario/scenario.hpp"

namespace lockproof::check {

/// "the program calls ZADD in a script, which the simulated server does not have", one after the other; empty: nothing
/// was lacking so far.
[[nodiscard]] std::string lacks_of(const harness::Scenario& scenario);

}  // namespace lockproof::check
