// SPDX-License-Identifier: Apache-2.0
#include "harness/lua/calls.hpp"

#include <exception>
#include <lua.hpp>
#include <string>
#include <utility>
#include <vector>

#include "harness/lua/sandbox.hpp"
#include "harness/lua/values.hpp"

namespace lockproof::lua {

/// The functions that Lua calls. Each has the Calls as its first upvalue, and those of one server its number as second.
struct Calls::Lua {
  static Calls& self(lua_State* lua) { return *static_cast<Calls*>(lua_touserdata(lua, lua_upvalueindex(1))); }

  /// Raises an error unless the function may be used now.
  static Calls& open_self(lua_State* lua, const char* function) {
    Calls& calls = self(lua);
    if (!calls.open_) {
      luaL_error(lua, "%s: there are servers and clocks only inside acquire, renew, release and wait", function);
    }
    return calls;
  }

  static std::size_t server(lua_State* lua) {
    return static_cast<std::size_t>(lua_tointeger(lua, lua_upvalueindex(2)));
  }

  static Command command(lua_State* lua, int from, const char* function) {
    const int count = lua_gettop(lua);
    std::vector<Value> words;
    const ScriptText* script = script_at(lua, from);
    if (script) {
      words.emplace_back("EVAL");
      words.emplace_back(script->text);
    }
    for (int i = script ? from + 1 : from; i <= count; ++i) {
      auto word = value_at(lua, i);
      if (!word) luaL_error(lua, "%s: word %d is %s%s", function, i - from + 1, what_is(lua, i).c_str(), hint(lua, i));
      words.push_back(*std::move(word));
    }
    if (words.empty()) luaL_error(lua, "%s: there is no command", function);
    return script ? Command(Script{script->name, script->text}, std::move(words)) : Command(std::move(words));
  }
  static const char* hint(lua_State* lua, int index) {
    if (lua_type(lua, index) == LUA_TNUMBER) return " that is not whole; math.floor makes it so";
    return instant_at(lua, index) ? "; clock.write(instant) makes text of one" : "; a command takes text and numbers";
  }

  static int suspended(lua_State* lua, Calls& calls, Request request) {
    calls.request_ = std::move(request);
    return lua_yield(lua, 0);
  }

  static int call(lua_State* lua) {
    Calls& calls = open_self(lua, "call");
    return suspended(lua, calls, ToOne{server(lua), command(lua, 1, "call")});
  }

  static int everywhere(lua_State* lua) {
    Calls& calls = open_self(lua, "everywhere");
    const auto timeout = duration_at(lua, 1);
    if (!timeout) luaL_error(lua, "everywhere(milliseconds, command, …): how long the servers have to answer");
    return suspended(lua, calls, ToAll{command(lua, 2, "everywhere"), *timeout});
  }

  static Name channel(lua_State* lua, const char* function) {
    const auto name = value_at(lua, 1);
    if (!name) luaL_error(lua, "%s: the channel is %s", function, what_is(lua, 1).c_str());
    return *name;
  }

  static int subscribe(lua_State* lua) {
    Calls& calls = open_self(lua, "subscribe");
    return suspended(lua, calls, Subscription{server(lua), channel(lua, "subscribe")});
  }

  static int message(lua_State* lua) {
    Calls& calls = open_self(lua, "message");
    const auto until = instant_at(lua, 2);
    if (!until || !std::holds_alternative<Mono>(*until)) {
      luaL_error(lua, "message(channel, until): waits until an instant of clock.mono(), not %s",
                 what_is(lua, 2).c_str());
    }
    return suspended(lua, calls, AwaitedMessage{server(lua), channel(lua, "message"), std::get<Mono>(*until)});
  }

  /// Pushes what a port says. What it throws, whatever it is, must not pass through Lua; an error of Lua must.
  template <class Read>
  static int read(lua_State* lua, const Read& from_port) {
    std::optional<decltype(from_port())> said;
    try {
      said = from_port();
    } catch (...) {
      Sandbox::of(lua).keep(std::current_exception());
    }
    if (!said) return luaL_error(lua, "the run is stopped");
    push(lua, *said);
    return 1;
  }

  template <auto reading>
  static int clock(lua_State* lua) {
    Calls& calls = open_self(lua, "clock");
    return read(lua, [&] { return AnyInstant((calls.ports_->clock.*reading)()); });
  }

  static int token(lua_State* lua) {
    Calls& calls = open_self(lua, "random.token");
    return read(lua, [&] { return calls.ports_->random.token(); });
  }

  static int between(lua_State* lua) {
    Calls& calls = open_self(lua, "random.between");
    const auto least = duration_at(lua, 1), most = duration_at(lua, 2);
    if (!least || !most) luaL_error(lua, "random.between(least, most): two numbers of milliseconds");
    return read(lua, [&] { return calls.ports_->random.between(*least, *most); });
  }

  static int write(lua_State* lua) {
    const auto instant = instant_at(lua, 1);
    const Wall* wall = instant ? std::get_if<Wall>(&*instant) : nullptr;
    if (!wall)
      luaL_error(lua, "clock.write: only the wall clock is the same everywhere, not %s", what_is(lua, 1).c_str());
    push(lua, Clock::write(*wall));
    return 1;
  }

  static int from_text(lua_State* lua) {
    const auto value = value_at(lua, 1);
    const auto wall = value ? Clock::read(*value) : std::nullopt;
    // A search knows instants by how far off they are: one that the file itself names would be another in each state.
    if (wall && !lua_isuserdata(lua, 1) && !is_answered(lua, 1)) {
      luaL_error(lua, "clock.read: '%s' was not written by clock.write, and no server has answered it in this call",
                 value->bytes().c_str());
    }
    wall ? push(lua, AnyInstant(*wall)) : lua_pushnil(lua);
    return 1;
  }

  /// A function in the table on top of the stack.
  static void offer(lua_State* lua, Calls& calls, const char* name, lua_CFunction function, std::size_t server = 0) {
    lua_pushlightuserdata(lua, &calls);
    lua_pushinteger(lua, static_cast<lua_Integer>(server));
    lua_pushcclosure(lua, function, 2);
    lua_setfield(lua, -2, name);
  }

  static void offer_server(lua_State* lua, Calls& calls, std::size_t server) {
    offer(lua, calls, "call", call, server);
    offer(lua, calls, "subscribe", subscribe, server);
    offer(lua, calls, "message", message, server);
  }
};

Calls::Calls(Sandbox& sandbox) : sandbox_(sandbox) {
  lua_State* lua = sandbox.state();
  lua_newtable(lua);
  Lua::offer_server(lua, *this, 0);
  Lua::offer(lua, *this, "everywhere", Lua::everywhere);
  for (const char* name : {"call", "subscribe", "message", "everywhere"}) {
    lua_getfield(lua, -1, name);
    sandbox.offer(name);
  }
  lua_pop(lua, 1);
  lua_newtable(lua);
  Lua::offer(lua, *this, "mono", Lua::clock<&Clock::mono>);
  Lua::offer(lua, *this, "wall", Lua::clock<&Clock::wall>);
  Lua::offer(lua, *this, "boot", Lua::clock<&Clock::boot>);
  Lua::offer(lua, *this, "write", Lua::write);
  Lua::offer(lua, *this, "read", Lua::from_text);
  sandbox.seal();
  sandbox.offer("clock");
  lua_newtable(lua);
  Lua::offer(lua, *this, "token", Lua::token);
  Lua::offer(lua, *this, "between", Lua::between);
  sandbox.seal();
  sandbox.offer("random");
}

/// A plain table, since # of it counts: so it is the file's own, and what is put into it is remembered.
void Calls::begin(const Ports& ports) {
  lua_State* lua = sandbox_.state();
  ports_ = &ports;
  open_ = false;
  lua_newtable(lua);
  for (std::size_t i = 0; i < ports.servers.size(); ++i) {
    lua_newtable(lua);
    Lua::offer_server(lua, *this, i);
    lua_rawseti(lua, -2, static_cast<int>(i) + 1);
  }
  lua_setglobal(lua, "servers");
}

int push_answer(lua_State* lua, const Result<Reply>& reply) {
  const bool failed = !reply || reply->is_error();
  if (!failed) return push(lua, *reply), 1;
  const std::string_view why = name(reply ? Error::refused : reply.error());
  lua_pushnil(lua);
  lua_pushlstring(lua, why.data(), why.size());
  return 2;
}

int push_answers(lua_State* lua, const Replies& replies) {
  lua_createtable(lua, static_cast<int>(replies.size()), 0);
  int position = 0;
  for (const Result<Reply>& reply : replies) {
    lua_createtable(lua, 0, 1);
    const int pushed = push_answer(lua, reply);
    lua_setfield(lua, -1 - pushed, pushed == 1 ? "reply" : "why");
    if (pushed == 2) lua_pop(lua, 1);
    lua_rawseti(lua, -2, ++position);
  }
  return 1;
}

std::optional<Error> error_from(std::string_view word) {
  for (const Error error : {Error::no_reply, Error::not_sent, Error::refused, Error::unsupported}) {
    if (name(error) == word) return error;
  }
  return std::nullopt;
}

}  // namespace lockproof::lua
