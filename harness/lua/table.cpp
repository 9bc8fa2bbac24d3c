// SPDX-License-Identifier: Apache-2.0
#include "harness/lua/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lua.hpp>
#include <utility>

namespace lockproof::lua {
namespace {

std::string listed(std::initializer_list<const char*> words) {
  std::string all;
  for (const char* word : words) all += (all.empty() ? "" : ", ") + std::string(word);
  return all;
}

}  // namespace

Table::Table(Sandbox& sandbox, lua_State* lua, const char* function, std::string what,
             std::initializer_list<const char*> known)
    : sandbox_(sandbox), lua_(lua), function_(function), what_(std::move(what)) {
  for (lua_pushnil(lua_); lua_next(lua_, -2) != 0; lua_pop(lua_, 1)) {
    const std::string key = lua_type(lua_, -2) == LUA_TSTRING ? bytes_at(lua_, -2) : what_is(lua_, -2);
    if (std::ranges::find(known, key) != known.end()) continue;
    refuse(fmt::format("has no field '{}'; it has {}", key, listed(known)));
  }
}

/// What `reader` makes of the field, if it is there.
template <class Read>
auto Table::read(const char* field, const std::string& expected, const Read& reader) const {
  lua_getfield(lua_, -1, field);
  auto found = lua_isnil(lua_, -1) ? decltype(reader(lua_, -1))() : reader(lua_, -1);
  if (!lua_isnil(lua_, -1) && !found) {
    refuse(fmt::format("has {} for its {}; it must be {}", what_is(lua_, -1), field, expected));
  }
  lua_pop(lua_, 1);
  return found;
}

std::optional<Value> Table::value(const char* field) const {
  return read(field, "a token, text or a whole number", value_at);
}

std::optional<std::string> Table::text(const char* field) const {
  return read(field, "text", [](lua_State* lua, int index) {
    return lua_type(lua, index) == LUA_TSTRING ? std::optional(bytes_at(lua, index)) : std::nullopt;
  });
}

std::optional<Duration> Table::duration(const char* field) const {
  return read(field, "a number of milliseconds", duration_at);
}

std::optional<std::int64_t> Table::whole(const char* field) const {
  return read(field, "a whole number", [](lua_State* lua, int index) -> std::optional<std::int64_t> {
    const double number = lua_type(lua, index) == LUA_TNUMBER ? lua_tonumber(lua, index) : 0.5;
    if (std::floor(number) != number || std::abs(number) > 1e15) return std::nullopt;
    return static_cast<std::int64_t>(number);
  });
}

std::optional<AnyInstant> Table::instant(const char* field) const {
  return read(field, "an instant of a clock", instant_at);
}

std::optional<bool> Table::flag(const char* field) const {
  return read(field, "true or false", [](lua_State* lua, int index) {
    return lua_isboolean(lua, index) ? std::optional(lua_toboolean(lua, index) != 0) : std::nullopt;
  });
}

std::optional<int> Table::word(const char* field, std::initializer_list<const char*> words) const {
  return read(field, "one of " + listed(words), [&](lua_State* lua, int index) -> std::optional<int> {
    if (lua_type(lua, index) != LUA_TSTRING) return std::nullopt;
    const auto found = std::ranges::find(words, bytes_at(lua, index));
    return found == words.end() ? std::nullopt : std::optional(static_cast<int>(found - words.begin()));
  });
}

bool Table::enter(const char* field) const {
  lua_getfield(lua_, -1, field);
  if (lua_istable(lua_, -1)) return true;
  if (!lua_isnil(lua_, -1)) refuse(fmt::format("has {} for its {}; it must be a table", what_is(lua_, -1), field));
  lua_pop(lua_, 1);
  return false;
}

void Table::refuse(const std::string& why) const { sandbox_.refuse_in(function_, what_ + " " + why); }

}  // namespace lockproof::lua
