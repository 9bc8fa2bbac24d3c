// SPDX-License-Identifier: Apache-2.0
// What scripts see of Lua: its libraries as a Redis server offers them, and nothing that one script could leave for the
// next.
#pragma once

struct lua_State;

namespace lockproof::sim::redis {

/// Begins the text of a function that was compiled already. It can be anything, and Redis takes none.
inline constexpr char compiled_text = '\x1b';

/// The state has a Budget.
void open_libraries(lua_State* lua);
/// Globals and libraries are read-only from now on. REQUIRES: all globals are set, redis among them.
void protect_environment(lua_State* lua);
/// Pushes the table behind the globals: what is set there without metamethods, as KEYS is, scripts see.
void push_globals(lua_State* lua);
/// Whether a script has set something in a protected table by a function of Lua that goes past its metatable, as
/// table.insert does. A server refuses that.
[[nodiscard]] bool is_environment_changed(lua_State* lua);

}  // namespace lockproof::sim::redis
