// SPDX-License-Identifier: Apache-2.0
// Commands and replies as text, for all services.
#pragma once

#include <string>
#include <vector>

#include "algorithms/port/command.hpp"

namespace lockproof::conformance {

[[nodiscard]] std::string shown(const Reply& reply);
[[nodiscard]] std::string shown(const std::vector<Value>& words);

}  // namespace lockproof::conformance
