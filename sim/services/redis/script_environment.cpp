// SPDX-License-Identifier: Apache-2.0
// As in Redis 7.0.15: script_lua.c, luaRegisterRedisAPI and luaSetTableProtectionRecursively.
#include "sim/services/redis/script_environment.hpp"

#include <lua.hpp>
#include <string>

#include "harness/lua/metered.hpp"

namespace lockproof::sim::redis {
namespace {

// Names in the registry.
constexpr char protected_tables[] = "lockproof.protected", all_globals[] = "lockproof.globals";

int refuse_change(lua_State* lua) { return luaL_error(lua, "Attempt to modify a readonly table"); }

/// Redis's own pcall: for an error that a command raised, the script gets the text and not the table.
int protected_call(lua_State* lua) {
  lua_pushboolean(lua, 1);
  lua_insert(lua, 1);
  if (lua_gettop(lua) == 1) return luaL_argerror(lua, 1, "value expected");
  if (lua_pcall(lua, lua_gettop(lua) - 2, LUA_MULTRET, 0) != 0) {
    if (lua_istable(lua, -1)) {
      lua_getfield(lua, -1, "err");
      if (lua_isstring(lua, -1)) lua_replace(lua, -2);
    }
    lua_pushboolean(lua, 0);
    lua_replace(lua, 1);
  }
  return lua_gettop(lua);
}

/// xpcall. The handler runs once the stack is unwound. Lua itself runs it before, and without hooks if a hook raised
/// the error: then nothing could end it.
int call_with_handler(lua_State* lua) {
  luaL_checkany(lua, 2);
  lua_settop(lua, 2);
  lua_pushboolean(lua, 1);
  lua_pushvalue(lua, 1);
  if (lua_pcall(lua, 0, LUA_MULTRET, 0) == 0) return lua_gettop(lua) - 2;
  lua_pushboolean(lua, 0);
  lua_replace(lua, 3);
  lua_pushvalue(lua, 2);
  lua_insert(lua, 4);
  if (lua_pcall(lua, 1, 1, 0) != 0) {
    lua_pop(lua, 1);
    lua_pushliteral(lua, "error in error handling");
  }
  return 2;
}

/// Past the metatable, which the tables that every script shares are protected by. They are keys of the upvalue.
int set_raw(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  luaL_checkany(lua, 2);
  luaL_checkany(lua, 3);
  lua_settop(lua, 3);
  lua_pushvalue(lua, 1);
  lua_rawget(lua, lua_upvalueindex(1));
  if (lua_toboolean(lua, -1)) {
    lua_pushliteral(lua, "Attempt to modify a readonly table");
    return lua_error(lua);
  }
  lua_settop(lua, 3);
  lua_rawset(lua, 1);
  return 1;
}

int load_text(lua_State* lua) {
  std::size_t size = 0;
  const char* text = luaL_checklstring(lua, 1, &size);
  const char* name = luaL_optstring(lua, 2, text);
  if (size > 0 && *text == compiled_text) {
    lua_pushnil(lua);
    lua_pushliteral(lua, "unexpected symbol near 'char(27)'");
    return 2;
  }
  if (luaL_loadbuffer(lua, text, size, name) == 0) return 1;
  lua_pushnil(lua);
  lua_insert(lua, -2);
  return 2;
}

void open(lua_State* lua, const char* name, lua_CFunction library) {
  lua_pushcfunction(lua, library);
  lua_pushstring(lua, name);
  lua_call(lua, 1, 0);
}

void set_global(lua_State* lua, const char* name, lua_CFunction function) {
  lua_pushcfunction(lua, function);
  lua_setglobal(lua, name);
}

/// Only the Chooser draws. Redis offers a generator that always starts with the same seed.
void without_chance(lua_State* lua) {
  lua_getglobal(lua, LUA_MATHLIBNAME);
  for (const char* name : {"random", "randomseed"}) {
    lua_pushnil(lua);
    lua_setfield(lua, -2, name);
  }
  lua_pop(lua, 1);
}

/// Protects the metatable on top of the stack.
void seal(lua_State* lua) {
  lua_pushcfunction(lua, refuse_change);
  lua_setfield(lua, -2, "__newindex");
  lua_pushboolean(lua, 0);
  lua_setfield(lua, -2, "__metatable");
}

/// Replaces the table on top of the stack by a read-only one: scripts see an empty table in front of it.
void protect_table(lua_State* lua) {
  lua_newtable(lua);
  lua_createtable(lua, 0, 3);
  lua_pushvalue(lua, -3);
  lua_setfield(lua, -2, "__index");
  seal(lua);
  lua_setmetatable(lua, -2);
  lua_remove(lua, -2);
  lua_getfield(lua, LUA_REGISTRYINDEX, protected_tables);
  lua_pushvalue(lua, -2);
  lua_pushboolean(lua, 1);
  lua_rawset(lua, -3);
  lua_pop(lua, 1);
}

void protect(lua_State* lua, const char* library) {
  lua_getglobal(lua, library);
  protect_table(lua);
  lua_setglobal(lua, library);
}

/// Of strings: ("x"):rep(3).
void protect_methods(lua_State* lua) {
  lua_pushliteral(lua, "");
  lua_getmetatable(lua, -1);
  lua_getglobal(lua, LUA_STRLIBNAME);
  lua_setfield(lua, -2, "__index");
  lua_pushboolean(lua, 0);
  lua_setfield(lua, -2, "__metatable");
  lua_pop(lua, 2);
}

/// Makes globals read-only: a script can neither leave a value for the next one nor use a name by mistake.
void protect_globals(lua_State* lua) {
  lua_getfield(lua, LUA_REGISTRYINDEX, protected_tables);
  lua_pushcclosure(lua, set_raw, 1);
  lua_setglobal(lua, "rawset");
  lua_pushvalue(lua, LUA_GLOBALSINDEX);
  lua_createtable(lua, 0, 1);
  lua_pushcfunction(lua, [](lua_State* of) {
    return luaL_error(of, "Script attempted to access nonexistent global variable '%s'", lua_tostring(of, 2));
  });
  lua_setfield(lua, -2, "__index");
  lua_setmetatable(lua, -2);
  lua_pushvalue(lua, -1);
  lua_setfield(lua, LUA_REGISTRYINDEX, all_globals);
  lua_pushvalue(lua, -1);
  protect_table(lua);
  lua_pushvalue(lua, -1);
  lua_setfield(lua, -3, "_G");
  lua_replace(lua, LUA_GLOBALSINDEX);
  lua_pop(lua, 1);
}

}  // namespace

void open_libraries(lua_State* lua) {
  open(lua, "", luaopen_base);
  open(lua, LUA_STRLIBNAME, luaopen_string);
  open(lua, LUA_TABLIBNAME, luaopen_table);
  open(lua, LUA_MATHLIBNAME, luaopen_math);
  lua::meter_library(lua, LUA_STRLIBNAME);
  lua::meter_library(lua, LUA_TABLIBNAME);
  lua::meter_unpack(lua);
  for (const char* forbidden : {"dofile", "getfenv", "load", "loadfile", "newproxy", "print", "setfenv"}) {
    lua_pushnil(lua);
    lua_setglobal(lua, forbidden);
  }
  without_chance(lua);
  set_global(lua, "loadstring", load_text);
  set_global(lua, "pcall", protected_call);
  set_global(lua, "xpcall", call_with_handler);
}

void protect_environment(lua_State* lua) {
  lua_newtable(lua);
  lua_setfield(lua, LUA_REGISTRYINDEX, protected_tables);
  for (const char* name : {LUA_STRLIBNAME, LUA_TABLIBNAME, LUA_MATHLIBNAME, LUA_COLIBNAME, "redis"}) protect(lua, name);
  protect_methods(lua);
  protect_globals(lua);
}

void push_globals(lua_State* lua) { lua_getfield(lua, LUA_REGISTRYINDEX, all_globals); }

bool is_environment_changed(lua_State* lua) {
  const int top = lua_gettop(lua);
  bool changed = false;
  lua_getfield(lua, LUA_REGISTRYINDEX, protected_tables);
  for (lua_pushnil(lua); lua_next(lua, top + 1) != 0; lua_pop(lua, 1)) {
    lua_pushnil(lua);
    if (lua_next(lua, -3) == 0) continue;
    changed = true;
    lua_pop(lua, 2);
  }
  lua_settop(lua, top);
  return changed;
}

}  // namespace lockproof::sim::redis
