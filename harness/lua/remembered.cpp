// SPDX-License-Identifier: Apache-2.0
#include "harness/lua/remembered.hpp"

#include <cmath>
#include <cstdint>
#include <lua.hpp>
#include <map>
#include <string>
#include <utility>

#include "harness/lua/values.hpp"

namespace lockproof::lua {
namespace {

class Walk {
 public:
  explicit Walk(lua_State* lua) : lua_(lua) {}

  State globals() {
    lua_pushvalue(lua_, LUA_GLOBALSINDEX);
    add_top();
    lua_pop(lua_, 1);
    return std::move(state_);
  }

 private:
  /// Adds the value on top of the stack, and leaves it there.
  void add_top() {
    luaL_checkstack(lua_, 8, "what the lock remembers is nested too deeply");
    switch (lua_type(lua_, -1)) {
      case LUA_TBOOLEAN: state_.emplace_back(lua_toboolean(lua_, -1) != 0); return;
      case LUA_TTABLE:
        if (is_new("table")) add_table();
        return;
      case LUA_TFUNCTION:
        if (!lua_iscfunction(lua_, -1) && is_new("function")) add_function();
        return;
      default: add_leaf(); return;
    }
  }

  void add_leaf() {
    if (const auto instant = instant_at(lua_, -1)) {
      std::visit([this](const auto i) { state_.emplace_back(i); }, *instant);
    } else if (const ScriptText* script = script_at(lua_, -1)) {
      state_.emplace_back(Value(script->name));
      state_.emplace_back(Value(script->text));
    } else if (auto value = value_at(lua_, -1)) {
      state_.emplace_back(*std::move(value));
    } else if (lua_type(lua_, -1) == LUA_TNUMBER) {
      char text[32];
      std::snprintf(text, sizeof text, "%.17g", lua_tonumber(lua_, -1));
      state_.emplace_back(Value(text));
    }
    state_.emplace_back(std::int64_t{lua_type(lua_, -1)});  // so that 1 is not "1"
  }

  /// Whether this object is seen for the first time; else its number says which one it is.
  bool is_new(const char* what) {
    const auto [found, first] = seen_.try_emplace(lua_topointer(lua_, -1), static_cast<std::int64_t>(seen_.size()));
    state_.emplace_back(Value(what));
    state_.emplace_back(found->second);
    return first;
  }

  void add_table() {
    std::map<std::pair<double, std::string>, bool> keys;  // in order: numbers, then strings
    for (lua_pushnil(lua_); lua_next(lua_, -2) != 0; lua_pop(lua_, 1)) {
      if (lua_type(lua_, -2) == LUA_TNUMBER) {
        keys[{lua_tonumber(lua_, -2), ""}] = false;
      } else if (lua_type(lua_, -2) == LUA_TSTRING) {
        keys[{HUGE_VAL, bytes_at(lua_, -2)}] = true;
      } else {
        luaL_error(lua_, "the lock remembers a table that has %s for a key; use text or a number",
                   what_is(lua_, -2).c_str());
      }
    }
    for (const auto& [key, is_text] : keys) {
      if (is_text) {
        lua_pushlstring(lua_, key.second.data(), key.second.size());
      } else {
        lua_pushnumber(lua_, key.first);
      }
      add_leaf();
      lua_rawget(lua_, -2);
      add_top();
      lua_pop(lua_, 1);
    }
    state_.emplace_back(Value("end"));
  }

  /// A function is where it stands in the file, and what it has of the locals around it.
  void add_function() {
    lua_Debug at{};
    lua_pushvalue(lua_, -1);
    lua_getinfo(lua_, ">S", &at);
    state_.emplace_back(std::int64_t{at.linedefined});
    for (int i = 1; lua_getupvalue(lua_, -1, i) != nullptr; ++i) {
      add_top();
      lua_pop(lua_, 1);
    }
  }

  lua_State* lua_;
  State state_;
  std::map<const void*, std::int64_t> seen_;  // looked up only: the numbers are by order of first sight
};

}  // namespace

State remembered(lua_State* lua) { return Walk(lua).globals(); }

}  // namespace lockproof::lua
