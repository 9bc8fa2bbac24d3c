// SPDX-License-Identifier: Apache-2.0
#include "harness/lua/offered.hpp"

#include <lua.hpp>

#include "harness/lua/values.hpp"

namespace lockproof::lua {
namespace {

/// The name under which the table on top of the stack has the object at this index; the least one. Empty: it has not.
std::string name_in_table(lua_State* lua, int object) {
  std::string name;
  for (lua_pushnil(lua); lua_next(lua, -2) != 0; lua_pop(lua, 1)) {
    if (!lua_rawequal(lua, -1, object)) continue;
    const std::string key = bytes_at(lua, -2);
    if (name.empty() || key < name) name = key;
  }
  return name;
}

/// Replaces the sealed object on top of the stack by the table with its fields. False: it is something else.
bool open_sealed(lua_State* lua) {
  if (!lua_isuserdata(lua, -1) || !lua_getmetatable(lua, -1)) return false;
  lua_getfield(lua, -1, "__index");
  if (!lua_istable(lua, -1)) {
    lua_pop(lua, 2);
    return false;
  }
  lua_replace(lua, -3);
  lua_pop(lua, 1);
  return true;
}

/// Whether the function at this index is what a call of this function of a library returns.
bool is_made_by(lua_State* lua, int iterator, const char* library, const char* function) {
  const int top = lua_gettop(lua);
  lua_getfield(lua, LUA_REGISTRYINDEX, "offered");
  if (*library) {
    lua_getfield(lua, -1, library);
    lua_getfield(lua, -1, function);
    lua_pushliteral(lua, "");
    lua_pushliteral(lua, "");
  } else {
    lua_getfield(lua, -1, function);
    lua_newtable(lua);
    lua_pushnil(lua);
  }
  lua_call(lua, 2, 1);
  const bool same = lua_tocfunction(lua, -1) == lua_tocfunction(lua, iterator);
  lua_settop(lua, top);
  return same;
}

}  // namespace

std::string name_of_offered(lua_State* lua) {
  const int object = lua_gettop(lua);
  lua_getfield(lua, LUA_REGISTRYINDEX, "offered");
  std::string name = name_in_table(lua, object);
  for (lua_pushnil(lua); name.empty() && lua_next(lua, object + 1) != 0; lua_pop(lua, 1)) {
    if (!open_sealed(lua)) continue;
    const std::string field = name_in_table(lua, object);
    if (!field.empty()) name = bytes_at(lua, -2) + "." + field;
  }
  lua_settop(lua, object);
  return name;
}

std::string maker_of_iterator(lua_State* lua) {
  const int iterator = lua_gettop(lua);
  if (is_made_by(lua, iterator, "", "pairs")) return "pairs";
  if (is_made_by(lua, iterator, "", "ipairs")) return "ipairs";
  if (is_made_by(lua, iterator, "string", "gmatch")) return "string.gmatch";
  return "";
}

}  // namespace lockproof::lua
