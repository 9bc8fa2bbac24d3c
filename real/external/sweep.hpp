// SPDX-License-Identifier: Apache-2.0
// Restores external servers to the state in which lockproof found them.
#pragma once

#include <string>

#include "real/external/external_servers.hpp"

namespace lockproof::real {

/// Deletes the keys that are left. Returns a line for each server: what was done, or why not and what happens to the
/// keys.
[[nodiscard]] std::string sweep(const ExternalServers& servers);

}  // namespace lockproof::real
