// SPDX-License-Identifier: Apache-2.0
#include "harness/lua/outcomes.hpp"

#include <fmt/format.h>

#include <lua.hpp>
#include <string>
#include <utility>

#include "harness/lua/calls.hpp"
#include "harness/lua/sandbox.hpp"
#include "harness/lua/table.hpp"
#include "harness/lua/values.hpp"

namespace lockproof::lua {
namespace {

constexpr const char* paces[] = {"fixed-rate", "fixed-delay"};
constexpr const char* failures[] = {"retry", "stop"};
constexpr char kind[] = "lockproof.outcome";  // the key that tells a table of busy() from a grant

/// A table {[kind] = word, value = the first argument, held = the second}.
int outcome(lua_State* lua, const char* word) {
  lua_settop(lua, 2);
  lua_createtable(lua, 0, 3);
  lua_pushstring(lua, word);
  lua_setfield(lua, -2, kind);
  lua_pushvalue(lua, 1);
  lua_setfield(lua, -2, "value");
  lua_pushvalue(lua, 2);
  lua_setfield(lua, -2, "held");
  return 1;
}

int busy(lua_State* lua) {
  if (!lua_isnoneornil(lua, 1) && !duration_at(lua, 1)) {
    return luaL_error(lua, "busy(milliseconds): when the lock will be free, if the server said so, not %s",
                      what_is(lua, 1).c_str());
  }
  return outcome(lua, "busy");
}

int failed(lua_State* lua) {
  const bool is_text = lua_type(lua, 1) == LUA_TSTRING;
  if (!is_text || !error_from(bytes_at(lua, 1))) {
    return luaL_error(
        lua, "failed(why, grant): why is \"no-reply\", \"not-sent\" or \"refused\", as call returns it, not %s",
        is_text ? lua_tostring(lua, 1) : what_is(lua, 1).c_str());
  }
  return outcome(lua, "failed");
}

int skipped(lua_State* lua) { return outcome(lua, "skipped"); }

void push_renewal(lua_State* lua, const Renewal& renewal) {
  lua_createtable(lua, 0, 5);
  push(lua, renewal.first);
  lua_setfield(lua, -2, "first");
  push(lua, renewal.period);
  lua_setfield(lua, -2, "period");
  lua_pushstring(lua, paces[renewal.pace == Pace::fixed_delay]);
  lua_setfield(lua, -2, "pace");
  lua_pushstring(lua, failures[renewal.on_failure == OnFailure::stop]);
  lua_setfield(lua, -2, "on_failure");
  lua_pushboolean(lua, renewal.tells_loss);
  lua_setfield(lua, -2, "tells_loss");
}

/// The word of the outcome on top of the stack; empty: something else.
std::string word_of(lua_State* lua) {
  if (!lua_istable(lua, -1)) return {};
  lua_getfield(lua, -1, kind);
  std::string word = lua_isstring(lua, -1) ? bytes_at(lua, -1) : std::string();
  lua_pop(lua, 1);
  return word;
}

Error error_on_top(lua_State* lua) {
  lua_getfield(lua, -1, "value");
  const Error error = *error_from(bytes_at(lua, -1));
  lua_pop(lua, 1);
  return error;
}

}  // namespace

void offer_outcomes(Sandbox& sandbox) {
  const std::pair<const char*, lua_CFunction> functions[] = {{"busy", busy}, {"failed", failed}, {"skipped", skipped}};
  for (const auto& [name, function] : functions) {
    lua_pushcfunction(sandbox.state(), function);
    sandbox.offer(name);
  }
}

void push_grant(lua_State* lua, const Grant& grant) {
  lua_createtable(lua, 0, 5);
  push(lua, grant.name);
  lua_setfield(lua, -2, "name");
  push(lua, grant.token);
  lua_setfield(lua, -2, "token");
  if (const Wall* wall = std::get_if<Wall>(&grant.deadline)) push(lua, AnyInstant(*wall));
  if (const Mono* mono = std::get_if<Mono>(&grant.deadline)) push(lua, AnyInstant(*mono));
  if (const Boot* boot = std::get_if<Boot>(&grant.deadline)) push(lua, AnyInstant(*boot));
  if (grant.deadline.index() == 0) lua_pushnil(lua);
  lua_setfield(lua, -2, "deadline");
  if (grant.fence) lua_pushnumber(lua, static_cast<lua_Number>(*grant.fence));
  if (!grant.fence) lua_pushnil(lua);
  lua_setfield(lua, -2, "fence");
  if (!grant.renewal) return;
  push_renewal(lua, *grant.renewal);
  lua_setfield(lua, -2, "renewal");
}

void Outcomes::refuse(const char* function, const char* expected) {
  const std::string returned = lua_gettop(lua_) == 0 ? "nothing" : what_is(lua_, -1);
  sandbox_.refuse_in(function, fmt::format("{} returned {}; it must return {}", function, returned, expected));
}

Renewal Outcomes::renewal(const char* function) {
  const Table table(sandbox_, lua_, function, fmt::format("the renewal of the grant that {} returned", function),
                    {"first", "period", "pace", "on_failure", "tells_loss"});
  const auto period = table.duration("period");
  if (!period || *period <= Duration{}) table.refuse("needs a period: a number of milliseconds");
  return {.first = table.duration("first").value_or(*period),
          .period = *period,
          .pace = table.word("pace", {paces[0], paces[1]}) == 1 ? Pace::fixed_delay : Pace::fixed_rate,
          .on_failure = table.word("on_failure", {failures[0], failures[1]}) == 1 ? OnFailure::stop : OnFailure::retry,
          .tells_loss = table.flag("tells_loss").value_or(true)};
}

/// The table on top of the stack; where it says nothing, as `before`.
Grant Outcomes::grant(const char* function, std::optional<Grant> before, const Name& name) {
  const Table table(sandbox_, lua_, function, fmt::format("the grant that {} returned", function),
                    {"name", "token", "deadline", "fence", "renewal"});
  const auto token = table.value("token");
  if (!token && !before) table.refuse("needs a token: what the server stores for this holder");
  Grant made = before ? *std::move(before) : Grant(name, *token);
  if (token) made.token = *token;
  if (const auto deadline = table.instant("deadline")) {
    std::visit([&](const auto instant) { made.deadline = instant; }, *deadline);
  }
  if (const auto fence = table.whole("fence")) made.fence = fence;
  if (table.enter("renewal")) {
    made.renewal = renewal(function);
    lua_pop(lua_, 1);
  }
  return made;
}

Attempt Outcomes::attempt(const Name& name) {
  constexpr const char* expected = "a grant {token = …}, busy() or failed(why)";
  lua_settop(lua_, 1);
  const std::string word = word_of(lua_);
  if (word == "busy") {
    lua_getfield(lua_, -1, "value");
    return Busy{duration_at(lua_, -1)};
  }
  if (word == "failed") {
    const Error error = error_on_top(lua_);
    lua_getfield(lua_, -1, "held");
    if (lua_isnil(lua_, -1)) return Failure(error);
    if (!lua_istable(lua_, -1)) refuse("acquire", "failed(why, grant) with a grant {token = …}, or without");
    return Failure(error, grant("acquire", std::nullopt, name), true);
  }
  if (!word.empty() || !lua_istable(lua_, -1)) refuse("acquire", expected);
  return grant("acquire", std::nullopt, name);
}

Result<ReleaseResult> Outcomes::released() {
  lua_settop(lua_, 1);
  const std::string word = word_of(lua_);
  if (word == "failed") return error_on_top(lua_);
  if (word == "skipped") return ReleaseResult::skipped;
  if (!lua_isboolean(lua_, -1)) {
    refuse("release", "true (released), false (it was not ours), skipped() (no server was asked) or failed(why)");
  }
  return lua_toboolean(lua_, -1) ? ReleaseResult::yes : ReleaseResult::not_ours;
}

Result<std::optional<Grant>> Outcomes::renewed(const Grant& before) {
  lua_settop(lua_, 1);
  const std::string word = word_of(lua_);
  if (word == "failed") return error_on_top(lua_);
  if (lua_isboolean(lua_, -1) && !lua_toboolean(lua_, -1)) return std::optional<Grant>();
  if (!word.empty() || !lua_istable(lua_, -1))
    refuse("renew", "the grant with its new deadline, false (lost) or failed(why)");
  return std::optional(grant("renew", before, before.name));
}

bool Outcomes::waited() {
  lua_settop(lua_, 1);
  if (!lua_isboolean(lua_, -1)) refuse("wait", "true (try again now) or false (try again after the retry delay)");
  return lua_toboolean(lua_, -1) != 0;
}

Retry Outcomes::retry() {
  if (lua_gettop(lua_) == 1) lua_pushvalue(lua_, 1);
  lua_settop(lua_, 2);
  const auto least = duration_at(lua_, 1), most = duration_at(lua_, 2);
  if (!least || !most || *least < Duration{} || *most < *least) {
    refuse("retry", "the least and the most delay between two attempts, in milliseconds");
  }
  return {*least, *most};
}

}  // namespace lockproof::lua
