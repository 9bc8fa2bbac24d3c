// SPDX-License-Identifier: Apache-2.0
// Metered functions: those of Lua's libraries that do much in C, each behind one that charges the Budget for it first.
#pragma once

struct lua_State;

namespace lockproof::lua {

/// The functions of this library, which is a table in the global of this name, are metered from now on. The state has a
/// Budget.
void meter_library(lua_State* lua, const char* name);
/// Likewise the global unpack, whose own count of what it returns may overflow.
void meter_unpack(lua_State* lua);

}  // namespace lockproof::lua
