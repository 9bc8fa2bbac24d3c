// SPDX-License-Identifier: Apache-2.0
// Conversion between replies and Lua values, as Redis 7.0.15 does it (script_lua.c).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "algorithms/port/command.hpp"

struct lua_State;

namespace lockproof::sim::redis {

/// Pushes a reply: nil becomes false, an error a table with the field `err`, a status one with `ok`.
void push(lua_State* lua, const Reply& reply);

[[nodiscard]] std::string bytes_at(lua_State* lua, int index);
/// The string (or number) in a field of the table on top of the stack.
[[nodiscard]] std::optional<std::string> field(lua_State* lua, const char* name);

/// The value on top of the stack as a reply: numbers lose their fraction, a list ends at its first nil. `marked` gives
/// bytes the mark with which they came.
[[nodiscard]] Reply reply_at_top(lua_State* lua, const std::function<Value(std::string)>& marked);

}  // namespace lockproof::sim::redis
