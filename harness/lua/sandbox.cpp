// SPDX-License-Identifier: Apache-2.0
// Lua here is Debian's build as C++: an error is an exception which runs our destructors, and an exception of ours that
// passes through Lua becomes an error without a text. So nothing of ours may be thrown from a function that Lua calls.
#include "harness/lua/sandbox.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <lua.hpp>
#include <new>
#include <utility>

#include "harness/input_error.hpp"
#include "harness/lua/metered.hpp"
#include "harness/lua/values.hpp"
#include "harness/stop.hpp"

namespace lockproof::lua {
namespace {

constexpr char chunk[] = "@lock";  // what Lua puts before a line in its messages; replaced by the file's name
constexpr std::string_view place = "lock:";

constexpr std::array base_functions{"assert", "error", "ipairs", "select", "type", "unpack"};
constexpr std::array string_functions{"byte",  "char",  "find", "format",  "gmatch", "gsub", "len",
                                      "lower", "match", "rep",  "reverse", "sub",    "upper"};
constexpr std::array table_functions{"concat", "insert", "remove", "sort"};
constexpr std::array math_functions{"abs", "ceil", "floor", "fmod", "max", "min"};  // exact on every machine

/// pairs, in an order that does not depend on the machine: numbers, then strings, each from small to large.
int next_in_order(lua_State* lua) {
  const auto position = static_cast<int>(lua_tonumber(lua, lua_upvalueindex(2))) + 1;
  lua_pushnumber(lua, position);
  lua_replace(lua, lua_upvalueindex(2));
  lua_rawgeti(lua, lua_upvalueindex(1), position);
  if (lua_isnil(lua, -1)) return 1;
  lua_pushvalue(lua, -1);
  lua_rawget(lua, 1);
  return 2;
}

int is_before(lua_State* lua) {
  const int one = lua_type(lua, 1), other = lua_type(lua, 2);
  lua_pushboolean(lua, one != other ? one == LUA_TNUMBER : lua_lessthan(lua, 1, 2));
  return 1;
}

int sorted_pairs(lua_State* lua) {
  luaL_checktype(lua, 1, LUA_TTABLE);
  lua_settop(lua, 1);
  lua_getfield(lua, LUA_REGISTRYINDEX, "table.sort");
  lua_newtable(lua);
  int count = 0;
  for (lua_pushnil(lua); lua_next(lua, 1) != 0; lua_pop(lua, 1)) {
    const int key = lua_type(lua, -2);
    if (key != LUA_TNUMBER && key != LUA_TSTRING) {
      return luaL_error(lua, "pairs: a key is a %s, and only numbers and strings have an order",
                        lua_typename(lua, key));
    }
    lua_pushvalue(lua, -2);
    if (key == LUA_TNUMBER) {
      lua_pushnumber(lua, lua_tonumber(lua, -1) + 0.0);  // a key that was set as -0 is 0: which came first is not seen
      lua_remove(lua, -2);
    }
    lua_rawseti(lua, 3, ++count);
  }
  lua_pushvalue(lua, 2);
  lua_pushvalue(lua, 3);
  lua_pushcfunction(lua, is_before);
  lua_call(lua, 2, 0);
  lua_pushnumber(lua, 0);
  lua_pushcclosure(lua, next_in_order, 2);
  lua_pushvalue(lua, 1);
  return 2;
}

/// What Lua's own would do, without addresses.
int plain_text(lua_State* lua) {
  luaL_checkany(lua, 1);
  return push_text(lua, 1) ? 1 : luaL_error(lua, "tostring: %s is no text", what_is(lua, 1).c_str());
}

int number_from(lua_State* lua) {
  luaL_checkany(lua, 1);
  if (lua_isuserdata(lua, 1)) {
    return luaL_error(lua, "tonumber: %s is no number; clock.read(value) makes an instant of one that was written",
                      what_is(lua, 1).c_str());
  }
  const int base = luaL_optint(lua, 2, 10);
  if (base != 10) return luaL_error(lua, "tonumber: only decimal numbers");
  if (lua_isnumber(lua, 1)) {
    lua_pushnumber(lua, lua_tonumber(lua, 1));
  } else {
    lua_pushnil(lua);
  }
  return 1;
}

/// Opens a library of Lua, and pushes a table of what may stay of it.
template <std::size_t n>
void push_library(lua_State* lua, lua_CFunction library, const char* name,
                  const std::array<const char*, n>& functions) {
  lua_pushcfunction(lua, library);
  lua_pushstring(lua, name);
  lua_call(lua, 1, 0);
  *name ? meter_library(lua, name) : meter_unpack(lua);
  lua_getglobal(lua, *name ? name : "_G");
  lua_newtable(lua);
  for (const char* function : functions) {
    lua_getfield(lua, -2, function);
    lua_setfield(lua, -2, function);
  }
  lua_remove(lua, -2);
}

int refuse_change(lua_State* lua) {
  return luaL_error(lua, "'%s' cannot be set here: this table is not the lock's own",
                    lua_isstring(lua, 2) ? lua_tostring(lua, 2) : "?");
}

/// Calls Lua outside a protected call: then an error comes here.
int panic(lua_State* lua) {
  const bool memory = lua_isstring(lua, -1) && bytes_at(lua, -1) == "not enough memory";
  Sandbox::of(lua).fail(lua, memory ? LUA_ERRMEM : LUA_ERRRUN);
}

/// What a person may look for, and what is there instead.
constexpr std::pair<std::string_view, const char*> left_out[] = {
    {"print", "the trace of a run shows what it sends and receives"},
    {"os", "clock.mono(), clock.wall() and clock.boot() are the host's clocks"},
    {"io", "it has servers, clocks and chance, and nothing else"},
    {"require", "it is one file"},
    {"dofile", "it is one file"},
    {"loadstring", "it is one file"},
    {"load", "it is one file"},
    {"coroutine", "each of its functions is suspended at each command"},
    {"pcall", "a command that fails returns nil and why"},
    {"xpcall", "a command that fails returns nil and why"},
    {"next", "use pairs"},
    {"setmetatable", "use plain tables and functions"},
    {"getmetatable", "use plain tables and functions"},
    {"redis", "call(\"GET\", name) asks a server"},
};

int undefined(lua_State* lua) {
  const std::string_view name = lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "";
  for (const auto& [known, instead] : left_out) {
    if (name == known) return luaL_error(lua, "a lock has no '%s': %s", lua_tostring(lua, 2), instead);
  }
  lua_pushnil(lua);
  return 1;
}

}  // namespace

void Sandbox::Close::operator()(lua_State* lua) const { lua_close(lua); }

Sandbox::Sandbox(const Source& source) : source_(source), state_(lua_newstate(Budget::allocate, &budget_)) {
  if (!state_) throw std::bad_alloc();
  lua_State* lua = state();
  lua_pushlightuserdata(lua, this);
  lua_setfield(lua, LUA_REGISTRYINDEX, "sandbox");
  lua_atpanic(lua, panic);
  lua_gc(lua, LUA_GCSTOP, 0);
  offer_libraries();
}

Sandbox::~Sandbox() = default;

Sandbox& Sandbox::of(lua_State* lua) {
  lua_getfield(lua, LUA_REGISTRYINDEX, "sandbox");
  auto* sandbox = static_cast<Sandbox*>(lua_touserdata(lua, -1));
  lua_pop(lua, 1);
  return *sandbox;
}

/// No table: table.insert and table.sort set what is in a table past its metatable.
void Sandbox::seal() {
  lua_State* lua = state();
  lua_newuserdata(lua, 0);
  lua_newtable(lua);
  lua_pushvalue(lua, -3);
  lua_setfield(lua, -2, "__index");
  lua_pushcfunction(lua, refuse_change);
  lua_setfield(lua, -2, "__newindex");
  lua_setmetatable(lua, -2);
  lua_remove(lua, -2);
}

/// What the file may use is behind its own globals, which are all that it can set.
void Sandbox::offer_libraries() {
  lua_State* lua = state();
  push_library(lua, luaopen_base, "", base_functions);
  const std::pair<const char*, lua_CFunction> ours[] = {
      {"pairs", sorted_pairs}, {"tostring", plain_text}, {"tonumber", number_from}};
  for (const auto& [name, function] : ours) {
    lua_pushcfunction(lua, function);
    lua_setfield(lua, -2, name);
  }
  push_library(lua, luaopen_string, LUA_STRLIBNAME, string_functions);
  seal();
  lua_pushstring(lua, "");  // the methods of strings are those that may stay, too: ("x"):rep(3)
  lua_getmetatable(lua, -1);
  lua_pushvalue(lua, -3);
  lua_setfield(lua, -2, "__index");
  lua_pop(lua, 2);
  lua_setfield(lua, -2, LUA_STRLIBNAME);
  push_library(lua, luaopen_table, LUA_TABLIBNAME, table_functions);
  lua_getfield(lua, -1, "sort");
  lua_setfield(lua, LUA_REGISTRYINDEX, "table.sort");
  seal();
  lua_setfield(lua, -2, LUA_TABLIBNAME);
  push_library(lua, luaopen_math, LUA_MATHLIBNAME, math_functions);
  seal();
  lua_setfield(lua, -2, LUA_MATHLIBNAME);
  offer_values(lua);  // in the table on top, as all that follows
  lua_newtable(lua);
  lua_pushcfunction(lua, undefined);
  lua_setfield(lua, -2, "__index");
  lua_setmetatable(lua, -2);
  lua_newtable(lua);
  lua_pushvalue(lua, -2);
  lua_setfield(lua, -2, "__index");
  lua_setfield(lua, LUA_REGISTRYINDEX, "globals");  // the metatable of globals
  lua_setfield(lua, LUA_REGISTRYINDEX, "offered");
  begin();
}

void Sandbox::begin() {
  lua_State* lua = state();
  lua_settop(lua, 0);
  thrown_ = nullptr;
  lua_newtable(lua);
  lua_getfield(lua, LUA_REGISTRYINDEX, "globals");
  lua_setmetatable(lua, -2);
  lua_replace(lua, LUA_GLOBALSINDEX);
  forget_values(lua);
  collect();
}

void Sandbox::collect() {
  constexpr std::size_t much = std::size_t{32} << 10;
  if (budget_.memory() < 2 * in_use_ + much) return;
  lua_gc(state(), LUA_GCCOLLECT, 0);
  lua_gc(state(), LUA_GCSTOP, 0);
  in_use_ = budget_.memory();
}

void Sandbox::offer(const char* name) {
  lua_getfield(state(), LUA_REGISTRYINDEX, "offered");
  lua_insert(state(), -2);
  lua_setfield(state(), -2, name);
  lua_pop(state(), 1);
}

void Sandbox::load() {
  lua_State* lua = state();
  if (compiled_ == none) {
    if (source_.text.starts_with(LUA_SIGNATURE)) refuse("this is compiled Lua; a lock is a text");
    const int status = luaL_loadbuffer(lua, source_.text.data(), source_.text.size(), chunk);
    if (status != 0) fail(lua, status);
    compiled_ = luaL_ref(lua, LUA_REGISTRYINDEX);
  }
  limit(lua);
  lua_rawgeti(lua, LUA_REGISTRYINDEX, compiled_);
  lua_pushvalue(lua, LUA_GLOBALSINDEX);
  lua_setfenv(lua, -2);
  if (const int status = lua_pcall(lua, 0, 0, 0); status != 0) fail(lua, status);
}

bool Sandbox::has(const char* function) const {
  lua_getglobal(state(), function);
  const bool found = lua_isfunction(state(), -1);
  lua_pop(state(), 1);
  return found;
}

void Sandbox::fail(lua_State* thread, int status) {
  failed_ = true;
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (budget_.ended() == Budget::End::stopped) throw harness::Cancellation();
  if (status < 0) throw std::bad_alloc();  // an exception of ours, and there is no other
  if (status == LUA_ERRMEM) {
    if (budget_.ended() != Budget::End::memory) throw std::bad_alloc();
    refuse(Budget::text_of(Budget::End::memory));
  }
  const std::string text = lua_isstring(thread, -1) ? bytes_at(thread, -1) : "it raises an error that is no text";
  const std::size_t at = text.starts_with(place) ? place.size() : std::string::npos;
  int line = 0;
  if (at != std::string::npos) {
    const auto [end, failed] = std::from_chars(text.data() + at, text.data() + text.size(), line);
    if (failed == std::errc() && std::string_view(end).starts_with(": ")) refuse(std::string(end + 2), line);
  }
  refuse(text);
}

void Sandbox::refuse_in(const char* function, const std::string& what) const {
  lua_Debug at{};
  lua_getglobal(state(), function);
  const bool known = lua_isfunction(state(), -1) && lua_getinfo(state(), ">S", &at);
  refuse(what, known ? at.linedefined : 0);
}

void Sandbox::refuse(const std::string& what, int line) const {
  failed_ = true;
  throw harness::InputError(source_.file, line, what);
}

}  // namespace lockproof::lua
