// SPDX-License-Identifier: Apache-2.0
// Conversions between replies and Lua values as Redis 7.0.15 does them (script_lua.c). Lua here is Debian's build as
// C++, so that an error in a script is an exception which runs our destructors.
#include "sim/redis/script_engine.hpp"

#include <fmt/format.h>
#include <lua.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

namespace lockproof::sim::redis {
namespace {

void push(lua_State* lua, const Reply& reply) {
  const auto push_field = [&](const char* field) {
    lua_createtable(lua, 0, 1);
    lua_pushlstring(lua, reply.value().bytes().data(), reply.value().bytes().size());
    lua_setfield(lua, -2, field);
  };
  switch (reply.kind()) {
    case Reply::Kind::nil: return lua_pushboolean(lua, 0);
    case Reply::Kind::integer: return lua_pushnumber(lua, static_cast<lua_Number>(reply.integer()));
    case Reply::Kind::bulk: return lua_pushlstring(lua, reply.value().bytes().data(), reply.value().bytes().size());
    case Reply::Kind::status: return push_field("ok");
    case Reply::Kind::error: return push_field("err");
    case Reply::Kind::array: break;
  }
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

/// The string in a field of the table on top of the stack.
std::optional<std::string> field(lua_State* lua, const char* name) {
  lua_getfield(lua, -1, name);
  std::optional<std::string> text;
  if (lua_isstring(lua, -1)) text = bytes_at(lua, -1);
  lua_pop(lua, 1);
  return text;
}

}  // namespace

class ScriptEngine::Lua {
 public:
  Lua() : state_(luaL_newstate()) {
    open("", luaopen_base);
    open(LUA_STRLIBNAME, luaopen_string);
    open(LUA_TABLIBNAME, luaopen_table);
    open(LUA_MATHLIBNAME, luaopen_math);
    for (const char* forbidden : {"dofile", "loadfile", "print"}) {
      lua_pushnil(state_);
      lua_setglobal(state_, forbidden);
    }
    lua_createtable(state_, 0, 4);
    offer("call", call<true>);
    offer("pcall", call<false>);
    offer("error_reply", single_field<'e'>);
    offer("status_reply", single_field<'s'>);
    lua_setglobal(state_, "redis");
    protect_globals();
  }
  ~Lua() { lua_close(state_); }
  Lua(const Lua&) = delete;
  Lua& operator=(const Lua&) = delete;

  Reply run(Scene& scene, const Words& words, std::size_t key_count) {
    const auto found = compiled_.find(words[1].bytes());
    const auto compiled =
        found != compiled_.end() ? std::pair(found->second, std::string()) : compile(words[1].bytes());
    if (!compiled.second.empty()) return Reply::error(compiled.second);
    scene_ = &scene;
    words_ = &words;
    set_list("KEYS", words, 3, 3 + key_count);
    set_list("ARGV", words, 3 + key_count, words.size());
    lua_rawgeti(state_, LUA_REGISTRYINDEX, compiled.first);
    const bool failed = lua_pcall(state_, 0, 1, 0) != 0;
    Reply reply = failed ? failure() : taken();
    lua_pop(state_, 1);
    return reply;
  }

 private:
  void open(const char* name, lua_CFunction library) {
    lua_pushcfunction(state_, library);
    lua_pushstring(state_, name);
    lua_call(state_, 1, 0);
  }

  void offer(const char* name, lua_CFunction function) {
    lua_pushlightuserdata(state_, this);
    lua_pushcclosure(state_, function, 1);
    lua_setfield(state_, -2, name);
  }

  /// A script can neither leave anything for the next one nor use a name by mistake.
  void protect_globals() {
    lua_createtable(state_, 0, 2);
    lua_pushcfunction(state_, [](lua_State* lua) { return luaL_error(lua, "Attempt to modify a readonly table"); });
    lua_setfield(state_, -2, "__newindex");
    lua_pushcfunction(state_, [](lua_State* lua) {
      return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'", lua_tostring(lua, 2));
    });
    lua_setfield(state_, -2, "__index");
    lua_setmetatable(state_, LUA_GLOBALSINDEX);
  }

  /// The registry's reference, or an error text.
  std::pair<int, std::string> compile(const std::string& text) {
    if (luaL_loadbuffer(state_, text.data(), text.size(), "@user_script") != 0) {
      std::string error = fmt::format("ERR Error compiling script (new function): {}", bytes_at(state_, -1));
      lua_pop(state_, 1);
      return {0, std::move(error)};
    }
    const int reference = luaL_ref(state_, LUA_REGISTRYINDEX);
    compiled_.emplace(text, reference);
    return {reference, {}};
  }

  void set_list(const char* global, const Words& words, std::size_t from, std::size_t to) {
    lua_pushstring(state_, global);
    lua_createtable(state_, static_cast<int>(to - from), 0);
    for (std::size_t i = from; i < to; ++i) {
      lua_pushlstring(state_, words[i].bytes().data(), words[i].bytes().size());
      lua_rawseti(state_, -2, static_cast<int>(i - from + 1));
    }
    lua_rawset(state_, LUA_GLOBALSINDEX);
  }

  /// redis.call and redis.pcall: they differ in what an error does.
  template <bool raises>
  static int call(lua_State* lua) {
    Lua& self = *static_cast<Lua*>(lua_touserdata(lua, lua_upvalueindex(1)));
    Reply reply = self.called(lua);
    push(lua, reply);
    if (raises && reply.is_error()) return lua_error(lua);
    return 1;
  }

  Reply called(lua_State* lua) {
    const int count = lua_gettop(lua);
    if (count == 0) return Reply::error("ERR Please specify at least one argument for this redis lib call");
    Words words;
    words.reserve(static_cast<std::size_t>(count));
    for (int i = 1; i <= count; ++i) {
      if (lua_type(lua, i) == LUA_TNUMBER) {
        words.emplace_back(fmt::format("{:.17g}", lua_tonumber(lua, i)));
      } else if (lua_type(lua, i) == LUA_TSTRING) {
        words.push_back(marked(bytes_at(lua, i)));
      } else {
        return Reply::error("ERR Lua redis lib command arguments must be strings or integers");
      }
    }
    return execute(*scene_, words, true);
  }

  /// A token that a script passes on is still a token.
  [[nodiscard]] Value marked(std::string bytes) const {
    for (std::size_t i = 3; i < words_->size(); ++i) {
      if ((*words_)[i].bytes() == bytes) return (*words_)[i];
    }
    return Value(std::move(bytes));
  }

  /// redis.error_reply and redis.status_reply.
  template <char which>
  static int single_field(lua_State* lua) {
    if (lua_gettop(lua) != 1 || lua_type(lua, 1) != LUA_TSTRING) {
      push(lua, Reply::error("ERR wrong number or type of arguments"));
      return 1;
    }
    const std::string text = bytes_at(lua, 1);
    push(lua, which == 's'            ? Reply::status(text)
              : text.starts_with('-') ? Reply::error(text.substr(1))
                                      : Reply::error(text));
    return 1;
  }

  /// The error on top of the stack. The script's SHA1 and line, which Redis appends, are left out.
  Reply failure() {
    if (lua_istable(state_, -1)) {
      if (auto text = field(state_, "err")) return Reply::error(*std::move(text));
    }
    return Reply::error(lua_isstring(state_, -1) ? fmt::format("ERR {}", bytes_at(state_, -1)) : "ERR unknown error");
  }

  /// The result on top of the stack: numbers lose their fraction, a list ends at its first nil.
  Reply taken() {
    switch (lua_type(state_, -1)) {
      case LUA_TNUMBER: return Reply::integer(static_cast<std::int64_t>(lua_tonumber(state_, -1)));
      case LUA_TSTRING: return Reply::bulk(marked(bytes_at(state_, -1)));
      case LUA_TBOOLEAN: return lua_toboolean(state_, -1) ? Reply::integer(1) : Reply::nil();
      case LUA_TTABLE: break;
      default: return Reply::nil();
    }
    if (auto text = field(state_, "err")) return Reply::error(*std::move(text));
    if (auto text = field(state_, "ok")) return Reply::status(*std::move(text));
    std::vector<Reply> items;
    for (int i = 1;; ++i) {
      lua_rawgeti(state_, -1, i);
      const bool ended = lua_isnil(state_, -1);
      if (!ended) items.push_back(taken());
      lua_pop(state_, 1);
      if (ended) return Reply::array(std::move(items));
    }
  }

  lua_State* state_;
  std::map<std::string, int> compiled_;
  Scene* scene_ = nullptr;        // of the run in progress
  const Words* words_ = nullptr;  // likewise
};

ScriptEngine::ScriptEngine() : lua_(std::make_unique<Lua>()) {}
ScriptEngine::~ScriptEngine() = default;

Reply ScriptEngine::run(Scene& scene, const Words& words, std::size_t key_count) {
  return lua_->run(scene, words, key_count);
}

}  // namespace lockproof::sim::redis
