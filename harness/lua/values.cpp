// SPDX-License-Identifier: Apache-2.0
#include "harness/lua/values.hpp"

#include <cmath>
#include <cstring>
#include <lua.hpp>
#include <new>
#include <utility>

#include "algorithms/port/clock.hpp"
#include "harness/lua/sandbox.hpp"

namespace lockproof::lua {
namespace {

constexpr char value_type[] = "lockproof.value";  // names of metatables in the registry
constexpr char instant_type[] = "lockproof.instant";
constexpr char script_type[] = "lockproof.script";
constexpr char known_values[] = "lockproof.values";  // bytes -> the object
constexpr char answered[] = "lockproof.answered";    // text -> true
constexpr double whole_most = 9007199254740992.0;    // up to here a number of Lua is exact

template <class T>
T* at(lua_State* lua, int index, const char* type) {
  if (lua_type(lua, index) != LUA_TUSERDATA || !lua_getmetatable(lua, index)) return nullptr;
  luaL_getmetatable(lua, type);
  const bool same = lua_rawequal(lua, -1, -2);
  lua_pop(lua, 2);
  return same ? static_cast<T*>(lua_touserdata(lua, index)) : nullptr;
}

template <class T, class... A>
void push_object(lua_State* lua, const char* type, A&&... arguments) {
  void* const room = lua_newuserdata(lua, sizeof(T));
  new (room) T(std::forward<A>(arguments)...);
  luaL_getmetatable(lua, type);
  lua_setmetatable(lua, -2);
}

template <class T>
int destroy(lua_State* lua) {
  static_cast<T*>(lua_touserdata(lua, 1))->~T();
  return 0;
}

template <class T>
void new_type(lua_State* lua, const char* type) {
  luaL_newmetatable(lua, type);
  lua_pushcfunction(lua, destroy<T>);
  lua_setfield(lua, -2, "__gc");
  lua_pushboolean(lua, 0);
  lua_setfield(lua, -2, "__metatable");
}

void method(lua_State* lua, const char* name, lua_CFunction function) {
  lua_pushcfunction(lua, function);
  lua_setfield(lua, -2, name);
}

int opaque(lua_State* lua) {
  const int which = at<Value>(lua, 1, value_type) ? 1 : 2;
  return luaL_error(lua, "%s can only be compared, kept and sent: its bytes are different in each run",
                    what_is(lua, which).c_str());
}

template <class Compare>
int compared(lua_State* lua) {
  const auto one = instant_at(lua, 1), other = instant_at(lua, 2);
  if (!one || !other || one->index() != other->index()) {
    return luaL_error(lua, "%s and %s cannot be compared", what_is(lua, 1).c_str(), what_is(lua, 2).c_str());
  }
  lua_pushboolean(lua, Compare()(*one, *other));
  return 1;
}

int shifted(lua_State* lua, int instant_index, int duration_index, int sign) {
  const auto instant = instant_at(lua, instant_index);
  const auto by = duration_at(lua, duration_index);
  if (!instant || !by) {
    return luaL_error(lua, "%s and %s: an instant can be moved by a number of milliseconds, and by nothing else",
                      what_is(lua, 1).c_str(), what_is(lua, 2).c_str());
  }
  push(lua, std::visit([&](const auto i) { return AnyInstant(sign > 0 ? i + *by : i - *by); }, *instant));
  return 1;
}

int later(lua_State* lua) { return instant_at(lua, 1) ? shifted(lua, 1, 2, 1) : shifted(lua, 2, 1, 1); }
int earlier(lua_State* lua) { return shifted(lua, 1, 2, -1); }

void push_answered(lua_State* lua, const Value& value) {
  push(lua, value);
  if (lua_type(lua, -1) != LUA_TSTRING) return;
  lua_getfield(lua, LUA_REGISTRYINDEX, answered);
  lua_pushvalue(lua, -2);
  lua_pushboolean(lua, 1);
  lua_rawset(lua, -3);
  lua_pop(lua, 1);
}

int make_script(lua_State* lua) {
  const char* const words = "script(name, text): its name in output, and its Lua text for EVAL";
  if (lua_type(lua, 1) != LUA_TSTRING || lua_type(lua, 2) != LUA_TSTRING) return luaL_error(lua, "%s", words);
  const ScriptText script{bytes_at(lua, 1), bytes_at(lua, 2)};
  if (!Sandbox::of(lua).source().scripts.add(script.name, script.text)) {
    return luaL_error(lua, "script: '%s' is the name of another text; give each script a name of its own",
                      script.name.c_str());
  }
  push_object<ScriptText>(lua, script_type, script);
  return 1;
}

}  // namespace

void offer_values(lua_State* lua) {
  new_type<Value>(lua, value_type);
  for (const char* name : {"__concat", "__lt", "__le", "__len", "__index", "__add", "__sub", "__call"}) {
    method(lua, name, opaque);
  }
  lua_pop(lua, 1);
  new_type<AnyInstant>(lua, instant_type);
  method(lua, "__eq", compared<std::equal_to<>>);
  method(lua, "__lt", compared<std::less<>>);
  method(lua, "__le", compared<std::less_equal<>>);
  method(lua, "__add", later);
  method(lua, "__sub", earlier);
  lua_pop(lua, 1);
  new_type<ScriptText>(lua, script_type);
  lua_pop(lua, 1);

  lua_pushcfunction(lua, make_script);
  lua_setfield(lua, -2, "script");
}

void forget_values(lua_State* lua) {
  for (const char* table : {known_values, answered}) {
    lua_newtable(lua);
    lua_setfield(lua, LUA_REGISTRYINDEX, table);
  }
}

void know(lua_State* lua) {
  const Value* value = at<Value>(lua, -1, value_type);
  if (!value) return;
  lua_getfield(lua, LUA_REGISTRYINDEX, known_values);
  lua_pushlstring(lua, value->bytes().data(), value->bytes().size());
  lua_pushvalue(lua, -3);
  lua_rawset(lua, -3);
  lua_pop(lua, 1);
}

std::string bytes_at(lua_State* lua, int index) {
  std::size_t length = 0;
  const char* text = lua_tolstring(lua, index, &length);
  return {text, length};
}

std::string what_is(lua_State* lua, int index) {
  if (const Value* value = at<Value>(lua, index, value_type)) {
    return value->mark() == Value::Mark::token ? "a token" : "an instant that was written as text";
  }
  if (const auto instant = instant_at(lua, index)) {
    constexpr const char* clocks[] = {"wall", "monotonic", "boot"};
    return std::string("an instant of the ") + clocks[instant->index()] + " clock";
  }
  if (script_at(lua, index)) return "a script";
  const int type = lua_type(lua, index);
  return type == LUA_TNIL || type == LUA_TNONE ? "nil" : std::string("a ") + lua_typename(lua, type);
}

void push(lua_State* lua, const Value& value) {
  lua_getfield(lua, LUA_REGISTRYINDEX, known_values);
  lua_pushlstring(lua, value.bytes().data(), value.bytes().size());
  lua_rawget(lua, -2);
  if (lua_isnil(lua, -1)) {
    lua_pop(lua, 1);
    if (value.mark() == Value::Mark::text) {
      lua_pushlstring(lua, value.bytes().data(), value.bytes().size());
    } else {
      push_object<Value>(lua, value_type, value);
      know(lua);
    }
  }
  lua_remove(lua, -2);
}

/// As its digits where a number of Lua would be another one: the id of a lease of etcd is such.
void push_whole(lua_State* lua, std::int64_t number) {
  const auto as_number = static_cast<lua_Number>(number);
  std::abs(as_number) > whole_most ? push_answered(lua, Value::number(number)) : lua_pushnumber(lua, as_number);
}

void push(lua_State* lua, const Reply& reply) {
  switch (reply.kind()) {
    case Reply::Kind::nil:
    case Reply::Kind::error: return lua_pushnil(lua);
    case Reply::Kind::integer: return push_whole(lua, reply.integer());
    case Reply::Kind::status:
    case Reply::Kind::bulk: return push_answered(lua, reply.value());
    case Reply::Kind::array: break;
  }
  lua_createtable(lua, static_cast<int>(reply.items().size()), 0);
  int position = 0;
  for (const Reply& item : reply.items()) {
    item.is_nil() || item.is_error() ? lua_pushboolean(lua, 0) : push(lua, item);
    lua_rawseti(lua, -2, ++position);
  }
}

bool push_text(lua_State* lua, int index) {
  switch (lua_type(lua, index)) {
    case LUA_TNUMBER:
    case LUA_TSTRING:
      lua_pushvalue(lua, index);
      (void)lua_tostring(lua, -1);
      return true;
    case LUA_TBOOLEAN: lua_pushstring(lua, lua_toboolean(lua, index) ? "true" : "false"); return true;
    case LUA_TNIL: lua_pushliteral(lua, "nil"); return true;
    default: return false;
  }
}

void push(lua_State* lua, AnyInstant instant) { push_object<AnyInstant>(lua, instant_type, instant); }

void push(lua_State* lua, Duration duration) { lua_pushnumber(lua, static_cast<lua_Number>(duration.count()) / 1000); }

std::optional<Value> value_at(lua_State* lua, int index) {
  if (const Value* value = at<Value>(lua, index, value_type)) return *value;
  if (lua_type(lua, index) == LUA_TSTRING) return Value(bytes_at(lua, index));
  if (lua_type(lua, index) != LUA_TNUMBER) return std::nullopt;
  const double number = lua_tonumber(lua, index);
  if (std::floor(number) != number || std::abs(number) > whole_most) return std::nullopt;
  return Value::number(static_cast<std::int64_t>(number));
}

bool is_answered(lua_State* lua, int index) {
  lua_pushvalue(lua, index);
  lua_getfield(lua, LUA_REGISTRYINDEX, answered);
  lua_insert(lua, -2);
  lua_rawget(lua, -2);
  const bool is = lua_toboolean(lua, -1) != 0;
  lua_pop(lua, 2);
  return is;
}

std::optional<AnyInstant> instant_at(lua_State* lua, int index) {
  const AnyInstant* instant = at<AnyInstant>(lua, index, instant_type);
  return instant ? std::optional(*instant) : std::nullopt;
}

std::optional<Duration> duration_at(lua_State* lua, int index) {
  if (lua_type(lua, index) != LUA_TNUMBER) return std::nullopt;
  const double us = lua_tonumber(lua, index) * 1000;
  if (!(std::abs(us) < whole_most)) return std::nullopt;  // not a number is not smaller
  return Duration(std::llround(us));
}

const ScriptText* script_at(lua_State* lua, int index) { return at<ScriptText>(lua, index, script_type); }

}  // namespace lockproof::lua
