// SPDX-License-Identifier: Apache-2.0
// What a program makes of the lock on its servers: how it names the key, since a library may put words of its own
// around the lock's name, and whether the key has a lease.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/port/command.hpp"
#include "harness/history/event.hpp"

namespace lockproof::harness {

/// Of the keys that a command has made, in order: the first whose name has the lock's name in it, or, if none has, the
/// first. Nothing: it has made none.
[[nodiscard]] std::optional<std::string> made_key(const std::vector<Effect>& effects, std::string_view lock);

/// Whether this command of Redis may give a key a time to live. What a script does is not known, so it may.
[[nodiscard]] bool may_give_a_lease(const Command& command);

}  // namespace lockproof::harness
