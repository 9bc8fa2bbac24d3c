// SPDX-License-Identifier: Apache-2.0
// What a server is sent and what it answers, in words, whatever the service.
#pragma once

#include <string>
#include <vector>

#include "algorithms/port/command.hpp"

namespace lockproof::conformance {

[[nodiscard]] std::string shown(const Reply& reply);
[[nodiscard]] std::string shown(const std::vector<Value>& words);

}  // namespace lockproof::conformance
