// SPDX-License-Identifier: Apache-2.0
// The environment of scripts and the texts of their errors are those of Redis 7.0.15 (script_lua.c, eval.c). Lua here
// is Debian's build as C++, so that an error in a script is an exception which runs our destructors.
#include "sim/services/redis/script_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <lua.hpp>
#include <map>
#include <new>
#include <string>
#include <utility>

#include "harness/input_error.hpp"
#include "harness/lua/budget.hpp"
#include "harness/lua/values.hpp"
#include "harness/sha1.hpp"
#include "harness/stop.hpp"
#include "sim/services/redis/commands.hpp"
#include "sim/services/redis/lua_values.hpp"
#include "sim/services/redis/script_environment.hpp"
#include "sim/services/redis/words.hpp"

namespace lockproof::sim::redis {
namespace {

/// Turns a raised error into a table and adds where it came from: eval.c, __redis__err__handler.
int add_place(lua_State* lua) {
  lua_Debug at{};
  bool known = lua_getstack(lua, 1, &at) && lua_getinfo(lua, "nSl", &at);
  if (known && std::string_view(at.what) == "C") known = lua_getstack(lua, 2, &at) && lua_getinfo(lua, "nSl", &at);
  if (!lua_istable(lua, 1)) {
    const std::string text = lua_isstring(lua, 1)    ? bytes_at(lua, 1)
                             : lua_isboolean(lua, 1) ? (lua_toboolean(lua, 1) ? "true" : "false")
                                                     : lua_typename(lua, lua_type(lua, 1));
    push(lua, Reply::error("ERR " + text));
  } else {
    lua_pushvalue(lua, 1);
  }
  if (known) {
    lua_pushstring(lua, at.source);
    lua_setfield(lua, -2, "source");
    lua_pushnumber(lua, at.currentline);
    lua_setfield(lua, -2, "line");
  }
  return 1;
}

int sha1hex(lua_State* lua) {
  if (lua_gettop(lua) != 1) {
    push(lua, Reply::error("ERR wrong number of arguments"));
    return lua_error(lua);
  }
  std::size_t length = 0;
  const char* text = lua_tolstring(lua, 1, &length);
  const std::string digest = harness::sha1_hex(text ? std::string_view(text, length) : std::string_view());
  lua_pushlstring(lua, digest.data(), digest.size());
  return 1;
}

/// redis.error_reply and redis.status_reply.
template <char which>
int single_field(lua_State* lua) {
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

}  // namespace

class ScriptEngine::Lua {
 public:
  Lua() : state_(lua_newstate(lua::Budget::allocate, &budget_)) {
    if (!state_) throw std::bad_alloc();
    open_libraries(state_);
    differs_in_each_run("collectgarbage", lack<collects_garbage>);
    differs_in_each_run("gcinfo", lack<collects_garbage>);
    differs_in_each_run("tostring", make_text);
    lua_createtable(state_, 0, 5);
    offer("call", call<true>);
    offer("pcall", call<false>);
    offer("error_reply", single_field<'e'>);
    offer("status_reply", single_field<'s'>);
    offer("sha1hex", sha1hex);
    lua_setglobal(state_, "redis");
    protect_environment(state_);
  }
  ~Lua() { lua_close(state_); }
  Lua(const Lua&) = delete;
  Lua& operator=(const Lua&) = delete;

  const CompiledScript& compile(const std::string& text) {
    const auto [found, is_new] = compiled_.try_emplace(text);
    CompiledScript& script = found->second;
    if (!is_new) return script;
    script.sha1 = harness::sha1_hex(text);
    if (text.starts_with(compiled_text)) {
      script.error = "ERR Error compiling script (new function): user_script:1: unexpected symbol near 'char(27)'";
    } else if (luaL_loadbuffer(state_, text.data(), text.size(), "@user_script") != 0) {
      script.error = one_line(fmt::format("ERR Error compiling script (new function): {}", bytes_at(state_, -1)));
      lua_pop(state_, 1);
    } else {
      script.reference = luaL_ref(state_, LUA_REGISTRYINDEX);
    }
    return script;
  }

  Reply run(Scene& scene, const CompiledScript& script, const Words& words, std::size_t key_count) {
    scene_ = &scene;
    words_ = &words;
    answered_.clear();
    set_list("KEYS", words, 3, 3 + key_count);
    set_list("ARGV", words, 3 + key_count, words.size());
    lua_pushcfunction(state_, add_place);
    lua_rawgeti(state_, LUA_REGISTRYINDEX, script.reference);
    budget_.begin(state_);
    const int status = lua_pcall(state_, 0, 1, -2);
    end_with(script);
    if (is_environment_changed(state_)) {
      throw harness::InputError(fmt::format("the script {}", script.sha1), 0,
                                "changes a table that all scripts share, which a server refuses");
    }
    if (status == LUA_ERRMEM) throw std::bad_alloc();  // the memory of this machine: no server would answer that
    const bool failed = status != 0;
    Reply reply =
        failed ? failure(script) : reply_at_top(state_, [this](std::string bytes) { return marked(std::move(bytes)); });
    lua_pop(state_, 2);
    return reply;
  }

 private:
  void offer(const char* name, lua_CFunction function) {
    lua_pushlightuserdata(state_, this);
    lua_pushcclosure(state_, function, 1);
    lua_setfield(state_, -2, name);
  }

  void differs_in_each_run(const char* name, lua_CFunction function) {
    lua_pushlightuserdata(state_, this);
    lua_pushcclosure(state_, function, 1);
    lua_setglobal(state_, name);
  }

  void set_list(const char* global, const Words& words, std::size_t from, std::size_t to) {
    push_globals(state_);
    lua_pushstring(state_, global);
    lua_createtable(state_, static_cast<int>(to - from), 0);
    for (std::size_t i = from; i < to; ++i) {
      lua_pushlstring(state_, words[i].bytes().data(), words[i].bytes().size());
      lua_rawseti(state_, -2, static_cast<int>(i - from + 1));
    }
    lua_rawset(state_, -3);
    lua_pop(state_, 1);
  }

  /// redis.call and redis.pcall: they differ in the effect of an error.
  template <bool raises>
  static int call(lua_State* lua) {
    Lua& self = *static_cast<Lua*>(lua_touserdata(lua, lua_upvalueindex(1)));
    const Reply reply = self.called(lua);
    self.keep_marked(reply);
    push(lua, reply);
    if (raises && reply.is_error()) return lua_error(lua);
    return 1;
  }

  /// What depends on this process, and not on the script.
  static constexpr char collects_garbage[] = "asks how much memory Lua has";
  template <const char* does>
  static int lack(lua_State* lua) {
    Lua& self = *static_cast<Lua*>(lua_touserdata(lua, lua_upvalueindex(1)));
    self.scene_->out.lacks = fmt::format("{} in a script, which the simulated server does not know", does);
    return luaL_error(lua, "%s", self.scene_->out.lacks.c_str());
  }

  /// As Lua does; but what has no text has its address.
  static constexpr char addresses[] = "makes a text of a table or a function";
  static int make_text(lua_State* lua) {
    luaL_checkany(lua, 1);
    if (luaL_callmeta(lua, 1, "__tostring") != 0) return 1;
    return lua::push_text(lua, 1) ? 1 : lack<addresses>(lua);
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
    return execute_from_script(*scene_, words);
  }

  /// A token that a script passes on is still a token, whether it was given or read.
  [[nodiscard]] Value marked(std::string bytes) const {
    for (std::size_t i = 3; i < words_->size(); ++i) {
      if ((*words_)[i].bytes() == bytes) return (*words_)[i];
    }
    const auto read = std::ranges::find(answered_, bytes, &Value::bytes);
    return read == answered_.end() ? Value(std::move(bytes)) : *read;
  }

  void keep_marked(const Reply& reply) {
    if (reply.value().mark() != Value::Mark::text) answered_.push_back(reply.value());
    for (const Reply& item : reply.items()) keep_marked(item);
  }

  /// What a script has caught does not count: it has come to an end that a server would not have.
  void end_with(const CompiledScript& script) const {
    using End = lua::Budget::End;
    if (budget_.ended() == End::none) return;
    if (budget_.ended() == End::stopped) throw Cancellation();
    throw harness::InputError(fmt::format("the script {}", script.sha1), 0, lua::Budget::text_of(budget_.ended()));
  }

  /// The error on top of the stack.
  Reply failure(const CompiledScript& script) {
    if (!lua_istable(state_, -1)) return Reply::error("ERR unknown error");
    std::string text = field(state_, "err").value_or("ERR unknown error");
    const auto line = field(state_, "line"), source = field(state_, "source");
    if (line && source) text += fmt::format(" script: {}, on {}:{}.", script.sha1, *source, *line);
    return Reply::error(one_line(std::move(text)));
  }

  lua::Budget budget_;
  lua_State* state_;
  std::map<std::string, CompiledScript> compiled_;
  Scene* scene_ = nullptr;        // of the run in progress
  const Words* words_ = nullptr;  // likewise
  Words answered_;                // tokens and written instants that it has read
};

ScriptEngine::ScriptEngine() : lua_(std::make_unique<Lua>()) {}
ScriptEngine::~ScriptEngine() = default;

const ScriptEngine::CompiledScript& ScriptEngine::compile(const std::string& text) { return lua_->compile(text); }

Reply ScriptEngine::run(Scene& scene, const CompiledScript& script, const Words& words, std::size_t key_count) {
  return lua_->run(scene, script, words, key_count);
}

}  // namespace lockproof::sim::redis
