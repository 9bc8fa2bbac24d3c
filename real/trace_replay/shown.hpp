// SPDX-License-Identifier: Apache-2.0
// Replies and effects of servers as text, for reports of divergences.
#pragma once

#include <string>
#include <vector>

#include "harness/history/event.hpp"

namespace lockproof::real {

[[nodiscard]] std::string shown(const std::vector<Value>& words);
[[nodiscard]] std::string shown(const Reply& reply);
[[nodiscard]] std::string shown(const std::vector<harness::Effect>& effects);

}  // namespace lockproof::real
