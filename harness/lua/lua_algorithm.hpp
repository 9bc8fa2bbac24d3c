// SPDX-License-Identifier: Apache-2.0
// A file in Lua as a lock of its own, beside those of the catalogue: what it says of itself in the table `lock`.
#pragma once

#include <memory>
#include <string>

#include "algorithms/catalogue.hpp"

namespace lockproof::lua {

/// Reads what the file declares, and checks it as far as that can be done without a server. `file`: as messages name
/// it. Throws InputError.
[[nodiscard]] std::shared_ptr<const Algorithm> load_algorithm(const std::string& file, std::string text);

}  // namespace lockproof::lua
