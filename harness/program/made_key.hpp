// SPDX-License-Identifier: Apache-2.0
// How a program names the lock on its servers: a library may put words of its own around the lock's name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/history/event.hpp"

namespace lockproof::harness {

/// Of the keys that a command has made, in order: the first whose name has the lock's name in it, or, if none has, the
/// first. Nothing: it has made none.
[[nodiscard]] std::optional<std::string> made_key(const std::vector<Effect>& effects, std::string_view lock);

}  // namespace lockproof::harness
