// SPDX-License-Identifier: Apache-2.0
// Remembered: all that a lock in Lua keeps between two calls, whatever form it has: globals, the locals of its file
// that its functions use, tables in tables. So nothing that a lock remembers can be missing from a state of a search.
#pragma once

#include "algorithms/port/lock.hpp"

struct lua_State;

namespace lockproof::lua {

/// Everything that can be reached from the globals, in an order that depends on names alone. Raises a Lua error where
/// something is kept that has no order: a key that is no text and no number.
[[nodiscard]] State remembered(lua_State* lua);

}  // namespace lockproof::lua
