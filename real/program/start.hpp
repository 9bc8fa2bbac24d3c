// SPDX-License-Identifier: Apache-2.0
// How the program of a client is started: what it finds in its environment, and where.
#pragma once

#include <cstddef>
#include <string>

#include "harness/scenario/scenario.hpp"
#include "real/program/keeper.hpp"

namespace lockproof::real {

/// `servers`: their addresses, as the program is told them. `folder`: in which it gets one of its own. Throws
/// BadEnvironment if there is no such program.
[[nodiscard]] Start start_of(const harness::Scenario& scenario, std::size_t client, const std::string& servers,
                             const std::string& folder);

}  // namespace lockproof::real
