// SPDX-License-Identifier: Apache-2.0
// How the program of a client is started: what it finds in its environment, and where.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "harness/scenario/scenario.hpp"
#include "real/program/keeper.hpp"

namespace lockproof::real {

/// `servers`, `sentinels`: their addresses, as the program is told them; no sentinels: it is told of none. `folder`:
/// in which it gets one of its own. `of_service`: what clients of the service look for in their environment, unless the
/// scenario says otherwise. Throws BadEnvironment if there is no such program.
[[nodiscard]] Start start_of(const harness::Scenario& scenario, std::size_t client, const std::string& servers,
                             const std::string& folder, const std::map<std::string, std::string>& of_service = {},
                             const std::string& sentinels = {});

}  // namespace lockproof::real
