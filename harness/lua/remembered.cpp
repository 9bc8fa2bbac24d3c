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

constexpr char kept_functions[] = "lockproof.functions";  // a list in the registry

int append(lua_State* /*lua*/, const void* part, std::size_t size, void* into) {
  static_cast<std::string*>(into)->append(static_cast<const char*>(part), size);
  return 0;
}

}  // namespace

class Remembered::Walk {
 public:
  /// `known`: functions that have a number. `first`: none has yet, and those that are seen are kept.
  Walk(lua_State* lua, const std::map<const void*, std::int64_t>& known, bool first = false)
      : lua_(lua), known_(known), first_(first) {}

  State globals() {
    lua_pushvalue(lua_, LUA_GLOBALSINDEX);
    add_top();
    lua_pop(lua_, 1);
    return std::move(state_);
  }
  /// The functions that were seen, by their addresses.
  [[nodiscard]] const std::map<const void*, std::int64_t>& functions() const { return functions_; }

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

  /// A function is what it does, and what it has of the locals around it.
  void add_function() {
    functions_.try_emplace(lua_topointer(lua_, -1), static_cast<std::int64_t>(functions_.size()));
    if (first_) keep_function();
    const auto known = known_.find(lua_topointer(lua_, -1));
    if (known != known_.end()) {
      state_.emplace_back(known->second);
    } else {
      std::string code;
      (void)lua_dump(lua_, append, &code);
      state_.emplace_back(Value(std::move(code)));
    }
    for (int i = 1; lua_getupvalue(lua_, -1, i) != nullptr; ++i) {
      add_top();
      lua_pop(lua_, 1);
    }
  }

  /// So that no other function comes to have its address.
  void keep_function() {
    lua_getfield(lua_, LUA_REGISTRYINDEX, kept_functions);
    lua_pushvalue(lua_, -2);
    lua_rawseti(lua_, -2, static_cast<int>(functions_.size()));
    lua_pop(lua_, 1);
  }

  lua_State* lua_;
  const std::map<const void*, std::int64_t>& known_;
  const bool first_;
  State state_;
  std::map<const void*, std::int64_t> seen_, functions_;  // looked up only: the numbers are by order of first sight
};

Remembered::Remembered(lua_State* lua) : lua_(lua) {
  lua_newtable(lua);
  lua_setfield(lua, LUA_REGISTRYINDEX, kept_functions);
  Walk first(lua, functions_, true);
  static_cast<void>(first.globals());
  functions_ = first.functions();
  begins_with_ = Walk(lua, functions_).globals();
}

State Remembered::now() const {
  State found = Walk(lua_, functions_).globals();
  return found == begins_with_ ? State() : found;
}

}  // namespace lockproof::lua
