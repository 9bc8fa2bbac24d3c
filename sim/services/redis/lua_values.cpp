// SPDX-License-Identifier: Apache-2.0
#include "sim/services/redis/lua_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <lua.hpp>
#include <utility>
#include <vector>

#include "harness/input_error.hpp"
#include "sim/services/redis/words.hpp"

namespace lockproof::sim::redis {
namespace {

/// The string in a field, read without metatables; a number does not count as one.
std::optional<std::string> raw_string(lua_State* lua, const char* name) {
  lua_pushstring(lua, name);
  lua_rawget(lua, -2);
  std::optional<std::string> text;
  if (lua_type(lua, -1) == LUA_TSTRING) text = bytes_at(lua, -1);
  lua_pop(lua, 1);
  return text;
}

/// The result of the processor's conversion for a number outside the range of integers.
std::int64_t cut(lua_Number n) {
  constexpr lua_Number limit = 9223372036854775808.0;
  return n >= -limit && n < limit ? static_cast<std::int64_t>(n) : INT64_MIN;
}

constexpr int levels_most = 100;  // a driver takes fewer

Reply converted(lua_State* lua, const std::function<Value(std::string)>& marked, int level) {
  switch (lua_type(lua, -1)) {
    case LUA_TNUMBER: return Reply::integer(cut(lua_tonumber(lua, -1)));
    case LUA_TSTRING: return Reply::bulk(marked(bytes_at(lua, -1)));
    case LUA_TBOOLEAN: return lua_toboolean(lua, -1) ? Reply::integer(1) : Reply::nil();
    case LUA_TTABLE: break;
    default: return Reply::nil();
  }
  if (auto text = raw_string(lua, "err")) return Reply::error(one_line(*std::move(text)));
  if (auto text = raw_string(lua, "ok")) {
    std::ranges::replace_if(
        *text, [](char c) { return c == '\r' || c == '\n'; }, ' ');
    return Reply::status(*std::move(text));
  }
  if (level > levels_most || !lua_checkstack(lua, 4)) {
    throw harness::InputError("a script", 0, fmt::format("its reply has more than {} levels of tables", levels_most));
  }
  std::vector<Reply> items;
  for (int i = 1;; ++i) {
    lua_rawgeti(lua, -1, i);
    const bool ended = lua_isnil(lua, -1);
    if (!ended) items.push_back(converted(lua, marked, level + 1));
    lua_pop(lua, 1);
    if (ended) return Reply::array(std::move(items));
  }
}

}  // namespace

void push(lua_State* lua, const Reply& reply) {
  const auto push_field = [&](const char* name) {
    lua_createtable(lua, 0, 1);
    lua_pushlstring(lua, reply.value().bytes().data(), reply.value().bytes().size());
    lua_setfield(lua, -2, name);
  };
  switch (reply.kind()) {
    case Reply::Kind::nil: return lua_pushboolean(lua, 0);
    case Reply::Kind::integer: return lua_pushnumber(lua, static_cast<lua_Number>(reply.integer()));
    case Reply::Kind::bulk: return lua_pushlstring(lua, reply.value().bytes().data(), reply.value().bytes().size());
    case Reply::Kind::status: return push_field("ok");
    case Reply::Kind::error: return push_field("err");
    case Reply::Kind::array: break;
  }
  luaL_checkstack(lua, 4, "a reply is nested too deeply");
  lua_createtable(lua, static_cast<int>(reply.items().size()), 0);
  int position = 0;
  for (const Reply& item : reply.items()) {
    push(lua, item);
    lua_rawseti(lua, -2, ++position);
  }
}

std::string bytes_at(lua_State* lua, int index) {
  std::size_t length = 0;
  const char* text = lua_tolstring(lua, index, &length);
  return {text, length};
}

std::optional<std::string> field(lua_State* lua, const char* name) {
  lua_getfield(lua, -1, name);
  std::optional<std::string> text;
  if (lua_isstring(lua, -1)) text = bytes_at(lua, -1);
  lua_pop(lua, 1);
  return text;
}

Reply reply_at_top(lua_State* lua, const std::function<Value(std::string)>& marked) {
  return converted(lua, marked, 1);
}

}  // namespace lockproof::sim::redis
