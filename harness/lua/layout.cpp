// SPDX-License-Identifier: Apache-2.0
#include "harness/lua/layout.hpp"

#include <algorithm>
#include <lua.hpp>
#include <set>

#include "harness/lua/values.hpp"

namespace lockproof::lua {
namespace {

class TableSettler {
 public:
  explicit TableSettler(lua_State* lua) : lua_(lua) {
    lua_newtable(lua_);
    made_ = lua_gettop(lua_);
  }

  void replace_in_globals() {
    lua_pushvalue(lua_, LUA_GLOBALSINDEX);
    for (lua_pushnil(lua_); lua_next(lua_, -2) != 0;) {
      replace_top();
      lua_pushvalue(lua_, -2);
      lua_insert(lua_, -2);
      lua_rawset(lua_, -4);
    }
    lua_settop(lua_, made_ - 1);
  }

 private:
  /// Replaces the value on top of the stack, if it is a table, and what can be reached from it.
  void replace_top() {
    luaL_checkstack(lua_, 12, "what the lock remembers is nested too deeply");
    switch (lua_type(lua_, -1)) {
      case LUA_TTABLE: return replace_table();
      case LUA_TFUNCTION: return replace_in_function();
      case LUA_TUSERDATA: return know(lua_);
      default: return;
    }
  }

  void replace_table() {
    lua_pushvalue(lua_, -1);
    lua_rawget(lua_, made_);
    if (lua_isnil(lua_, -1)) {
      lua_pop(lua_, 1);
      make_table();
    }
    lua_remove(lua_, -2);
  }

  /// Pushes what replaces the table on top of the stack.
  void make_table() {
    const std::vector<TableKey> keys = keys_in_order(lua_);
    lua_newtable(lua_);
    const int made = lua_gettop(lua_);
    for (const int met : {made - 1, made}) {  // the new one is met again where two functions share a local
      lua_pushvalue(lua_, met);
      lua_pushvalue(lua_, made);
      lua_rawset(lua_, made_);
    }
    for (const TableKey& key : keys) {
      push(lua_, key);
      push(lua_, key);
      lua_rawget(lua_, made - 1);
      replace_top();
      lua_rawset(lua_, made);
    }
  }

  /// Those of servers and clocks have ports, and nothing that could be replaced.
  bool has_ports() {
    if (!lua_iscfunction(lua_, -1) || lua_getupvalue(lua_, -1, 1) == nullptr) return false;
    const bool has = lua_islightuserdata(lua_, -1);
    lua_pop(lua_, 1);
    return has;
  }

  void replace_in_function() {
    if (has_ports()) return;
    if (!functions_.insert(lua_topointer(lua_, -1)).second) return;
    for (int i = 1; lua_getupvalue(lua_, -1, i) != nullptr; ++i) {
      replace_top();
      lua_setupvalue(lua_, -2, i);
    }
  }

  lua_State* lua_;
  int made_;                         // index of a table: a table -> what replaces it
  std::set<const void*> functions_;  // looked up only
};

}  // namespace

std::vector<TableKey> keys_in_order(lua_State* lua) {
  std::vector<TableKey> keys;
  for (lua_pushnil(lua); lua_next(lua, -2) != 0; lua_pop(lua, 1)) {
    if (lua_type(lua, -2) == LUA_TNUMBER) {
      keys.push_back({.is_text = false, .number = lua_tonumber(lua, -2) + 0.0, .text = {}});  // 0, not -0
    } else if (lua_type(lua, -2) == LUA_TSTRING) {
      keys.push_back({.is_text = true, .number = 0, .text = bytes_at(lua, -2)});
    } else {
      luaL_error(lua, "the lock remembers a table that has %s for a key; use text or a number",
                 what_is(lua, -2).c_str());
    }
  }
  std::ranges::sort(keys);
  return keys;
}

void push(lua_State* lua, const TableKey& key) {
  key.is_text ? lua_pushlstring(lua, key.text.data(), key.text.size()) : lua_pushnumber(lua, key.number);
}

void settle(lua_State* lua) {
  forget_values(lua);
  TableSettler(lua).replace_in_globals();
}

}  // namespace lockproof::lua
