// SPDX-License-Identifier: Apache-2.0
// Leaving a server that lockproof did not start as it was found.
#pragma once

#include <string>

#include "real/external/external_servers.hpp"

namespace lockproof::real {

/// Deletes the keys that are left. A line for each server: what was done, or why not and what becomes of it.
[[nodiscard]] std::string sweep(const ExternalServers& servers);

}  // namespace lockproof::real
