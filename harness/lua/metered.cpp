// SPDX-License-Identifier: Apache-2.0
// A metered function is a closure over Lua's own, which it calls in its own place: so messages name what they did.
#include "harness/lua/metered.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <lua.hpp>
#include <string_view>

#include "harness/lua/budget.hpp"
#include "harness/lua/pattern_cost.hpp"

namespace lockproof::lua {
namespace {

constexpr std::uint64_t without_limit = std::numeric_limits<std::uint64_t>::max();

int call_original(lua_State* lua) { return lua_tocfunction(lua, lua_upvalueindex(1))(lua); }

/// A number becomes its text, as it does in all functions of strings.
std::string_view text_at(lua_State* lua, int index) {
  if (!lua_isstring(lua, index)) return {};
  std::size_t size = 0;
  const char* text = lua_tolstring(lua, index, &size);
  return {text, size};
}

/// All that a function can look at: its texts, and the lists that it is given.
int charge_arguments(lua_State* lua) {
  std::uint64_t steps = 0;
  for (int i = 1; i <= lua_gettop(lua); ++i) steps += lua_objlen(lua, i) / (lua_istable(lua, i) ? 1 : 16);
  Budget::of(lua).charge(lua, steps);
  return call_original(lua);
}

int repeat_text(lua_State* lua) {
  const std::string_view text = text_at(lua, 1);
  const lua_Number times = lua_isnumber(lua, 2) ? lua_tonumber(lua, 2) : 0;
  Budget& budget = Budget::of(lua);
  if (text.empty() && lua_isstring(lua, 1) && times > 0) {  // Lua would count to the end
    lua_pushliteral(lua, "");
    return 1;
  }
  const lua_Number size = times * static_cast<lua_Number>(std::max<std::size_t>(text.size(), 1));
  if (size > static_cast<lua_Number>(Budget::block_most)) budget.end(lua, Budget::End::memory);
  if (size > 0) budget.charge(lua, static_cast<std::uint64_t>(size) / 16 + static_cast<std::uint64_t>(times));
  return call_original(lua);
}

int unpack_list(lua_State* lua) {
  const auto from = static_cast<std::int64_t>(luaL_optint(lua, 2, 1));
  const auto to = lua_isnoneornil(lua, 3) ? static_cast<std::int64_t>(lua_objlen(lua, 1))
                                          : static_cast<std::int64_t>(luaL_checkint(lua, 3));
  const std::int64_t count = to - from + 1;
  if (count >= std::numeric_limits<int>::max()) return luaL_error(lua, "too many results to unpack");
  if (count > 0) Budget::of(lua).charge(lua, static_cast<std::uint64_t>(count));
  return call_original(lua);
}

/// It moves what is behind the position; before the first one there is no end of it.
int insert_item(lua_State* lua) {
  const bool moves = lua_gettop(lua) == 3 && lua_istable(lua, 1) && lua_isnumber(lua, 2);
  if (moves) {
    const auto position = std::min<std::int64_t>(lua_tointeger(lua, 2), 0);
    Budget::of(lua).charge(lua, static_cast<std::uint64_t>(-position));
  }
  return charge_arguments(lua);
}

/// The position that a function of Lua makes of an argument, from 0.
std::size_t position_at(lua_State* lua, int index, std::size_t size) {
  if (!lua_isnumber(lua, index)) return 0;
  const auto given = lua_tointeger(lua, index);
  const auto length = static_cast<lua_Integer>(size);
  const lua_Integer from = given < 0 ? given + length : given - 1;
  return static_cast<std::size_t>(std::clamp<lua_Integer>(from, 0, length));
}

void charge_pattern(lua_State* lua, std::size_t from, std::uint64_t matches, bool anchors) {
  Budget& budget = Budget::of(lua);
  const std::string_view subject = text_at(lua, 1), pattern = text_at(lua, 2);
  if (pattern.size() > Budget::pattern_most) budget.end(lua, Budget::End::pattern);
  budget.charge(lua, pattern_cost(subject, pattern, from, matches, anchors, budget.left()));
}

/// string.find of a plain text: it compares wherever the first character is.
void charge_plain(lua_State* lua, std::string_view subject, std::string_view text) {
  const auto hits = text.empty() ? 0 : std::ranges::count(subject, text[0]);
  Budget::of(lua).charge(lua, subject.size() / 16 + static_cast<std::uint64_t>(hits) * (text.size() / 16 + 1));
}

template <bool may_be_plain>
int search_text(lua_State* lua) {
  const std::string_view subject = text_at(lua, 1), pattern = text_at(lua, 2);
  if (may_be_plain && (lua_toboolean(lua, 4) || pattern.find_first_of("^$*+?.([%-") == std::string_view::npos)) {
    charge_plain(lua, subject, pattern);
  } else {
    charge_pattern(lua, position_at(lua, 3, subject.size()), 1, true);
  }
  return call_original(lua);
}

int iterate_matches(lua_State* lua) {
  charge_pattern(lua, 0, without_limit, false);
  return call_original(lua);
}

int replace_matches(lua_State* lua) {
  const lua_Number most = lua_isnumber(lua, 4) ? std::max<lua_Number>(lua_tonumber(lua, 4), 0) : 1e15;
  charge_pattern(lua, 0, static_cast<std::uint64_t>(std::min<lua_Number>(most, 1e15)), true);
  return call_original(lua);
}

/// Whether one is before the other: the upvalue says so or, if it is nil, Lua's own order.
int compare_values(lua_State* lua) {
  Budget::of(lua).charge(lua, 1);
  if (lua_isnil(lua, lua_upvalueindex(1))) {
    lua_pushboolean(lua, lua_lessthan(lua, 1, 2));
    return 1;
  }
  lua_settop(lua, 2);
  lua_pushvalue(lua, lua_upvalueindex(1));
  lua_insert(lua, 1);
  lua_call(lua, 2, 1);
  return 1;
}

int sort_list(lua_State* lua) {
  const bool counts = lua_isnoneornil(lua, 2) || lua_isfunction(lua, 2);
  if (lua_istable(lua, 1)) Budget::of(lua).charge(lua, lua_objlen(lua, 1));
  if (counts) {
    lua_settop(lua, 2);
    lua_pushcclosure(lua, compare_values, 1);
  }
  return call_original(lua);
}

lua_CFunction meter_of(std::string_view name) {
  if (name == "rep") return repeat_text;
  if (name == "find") return search_text<true>;
  if (name == "match") return search_text<false>;
  if (name == "gmatch" || name == "gfind") return iterate_matches;
  if (name == "gsub") return replace_matches;
  if (name == "sort") return sort_list;
  if (name == "insert") return insert_item;
  return charge_arguments;
}

}  // namespace

void meter_unpack(lua_State* lua) {
  lua_getglobal(lua, "unpack");
  lua_pushcclosure(lua, unpack_list, 1);
  lua_setglobal(lua, "unpack");
}

void meter_library(lua_State* lua, const char* name) {
  lua_getglobal(lua, name);
  const int table = lua_gettop(lua);
  for (lua_pushnil(lua); lua_next(lua, table) != 0;) {
    if (lua_iscfunction(lua, -1) && lua_type(lua, -2) == LUA_TSTRING) {
      lua_pushcclosure(lua, meter_of(lua_tostring(lua, -2)), 1);
      lua_pushvalue(lua, -2);
      lua_insert(lua, -2);
      lua_settable(lua, table);
    } else {
      lua_pop(lua, 1);
    }
  }
  lua_pop(lua, 1);
}

}  // namespace lockproof::lua
