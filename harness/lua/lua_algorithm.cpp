// SPDX-License-Identifier: Apache-2.0
#include "harness/lua/lua_algorithm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <lua.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/lua/lua_lock.hpp"
#include "harness/lua/runtime.hpp"
#include "harness/lua/table.hpp"

namespace lockproof::lua {
namespace {

constexpr const char* about_itself = "lock";  // the table in which a file says what it is

/// An algorithm refers to texts; here they are.
struct OwnedAlgorithm final : Maker::FileAlgorithm {
  Source source;
  mutable Runtimes runtimes{source};  // kept for the next lock; no lock can tell
  std::deque<std::string> texts;
  std::vector<Parameter> parameters;
  std::vector<std::string_view> keys, channels;
  ClientUse use;
  Algorithm algorithm{.make = Maker(*this)};

  [[nodiscard]] std::unique_ptr<Lock> make(Ports ports, const Parameters& given) const override {
    return make_lock(runtimes, algorithm, use, ports, given);
  }
  std::string_view keep(std::string text) { return texts.emplace_back(std::move(text)); }
};

Claim claim(const Table& claims, const char* which) {
  constexpr Claim in_order[] = {Claim::never, Claim::always, Claim::without_faults};
  return in_order[claims.word(which, {"never", "always", "without faults"}).value_or(0)];
}

class Declaration {
 public:
  Declaration(Sandbox& sandbox, OwnedAlgorithm& owned) : sandbox_(sandbox), lua_(sandbox.state()), owned_(owned) {}

  /// Reads the table on top of the stack.
  void read() {
    const Table lock(sandbox_, lua_, about_itself, about_itself,
                     {"summary", "source", "service", "servers", "lease", "lease_unit", "parameters", "claims", "keys",
                      "channels", "round_trips", "refusal_writes"});
    Algorithm& a = owned_.algorithm;
    if (auto summary = lock.text("summary")) a.summary = owned_.keep(*std::move(summary));
    if (auto source = lock.text("source")) a.source = owned_.keep(*std::move(source));
    constexpr Service services[] = {Service::redis,     Service::memcached, Service::postgres,
                                    Service::zookeeper, Service::etcd,      Service::chubby};
    a.service =
        services[lock.word("service", {"redis", "memcached", "postgres", "zookeeper", "etcd", "chubby"}).value_or(0)];
    constexpr Servers servers[] = {Servers::one, Servers::one_with_replica, Servers::all};
    a.servers = servers[lock.word("servers", {"one", "one with replica", "all"}).value_or(0)];
    a.lease = whole_milliseconds(lock, "lease", a.lease);
    a.lease_unit = whole_milliseconds(lock, "lease_unit", milliseconds(1));
    if (a.lease % a.lease_unit != Duration{}) lock.refuse("has a lease that is no multiple of its lease_unit");
    const auto trips = lock.whole("round_trips");
    if (trips && (*trips < 1 || *trips > 100)) lock.refuse("has round_trips that are not between 1 and 100");
    a.round_trips = static_cast<int>(trips.value_or(1));
    a.refusal_writes = lock.flag("refusal_writes").value_or(a.round_trips > 1 || a.servers == Servers::all);
    if (lock.enter("claims")) read_claims();
    if (lock.enter("parameters")) read_parameters(lock);
    if (lock.enter("keys")) read_list(lock, "keys", owned_.keys);
    if (lock.enter("channels")) read_list(lock, "channels", owned_.channels);
  }

 private:
  static milliseconds whole_milliseconds(const Table& lock, const char* field, milliseconds standard) {
    const auto given = lock.whole(field);
    if (given && *given < 1) lock.refuse(fmt::format("has a {} of {} ms", field, *given));
    return given ? milliseconds(*given) : standard;
  }

  void read_claims() {
    const Table claims(sandbox_, lua_, about_itself, "lock.claims",
                       {"double_grant", "outlived", "owner_release", "bounded_takeover"});
    owned_.algorithm.claims = {.double_grant = claim(claims, "double_grant"),
                               .outlived = claim(claims, "outlived"),
                               .owner_release = claim(claims, "owner_release"),
                               .bounded_takeover = claim(claims, "bounded_takeover")};
    lua_pop(lua_, 1);
  }

  /// retry = 50, retry = {50, "wait between two attempts"}, replicas = {count = 1, "how many must have it"}.
  void read_parameters(const Table& lock) {
    for (lua_pushnil(lua_); lua_next(lua_, -2) != 0; lua_pop(lua_, 1)) {
      if (lua_type(lua_, -2) != LUA_TSTRING) lock.refuse("has a parameter without a name: write name = milliseconds");
      const std::string name = bytes_at(lua_, -2);
      if (name == "name" || name == "file")
        lock.refuse(fmt::format("has a parameter called '{}', which [algorithm] uses itself", name));
      Parameter made{.name = owned_.keep(name), .standard = {}, .meaning = ""};
      auto standard = duration_at(lua_, -1);
      if (lua_istable(lua_, -1)) standard = from_table(made);
      if (!standard || *standard < Duration{}) {
        lock.refuse(fmt::format("has a parameter '{}' without a standard: write {} = milliseconds", name, name));
      }
      made.standard = *standard;
      owned_.parameters.push_back(made);
    }
    std::ranges::sort(owned_.parameters, {}, &Parameter::name);
    lua_pop(lua_, 1);
  }

  std::optional<Duration> from_table(Parameter& made) {
    lua_rawgeti(lua_, -1, 1);
    std::optional<Duration> standard = duration_at(lua_, -1);
    lua_pop(lua_, 1);
    lua_getfield(lua_, -1, "count");
    if (const auto count = value_at(lua_, -1); count && lua_isnumber(lua_, -1)) {
      made.counts = true;
      standard = Duration(static_cast<std::int64_t>(lua_tonumber(lua_, -1)));
    }
    lua_pop(lua_, 1);
    lua_rawgeti(lua_, -1, made.counts ? 1 : 2);
    if (lua_type(lua_, -1) == LUA_TSTRING) made.meaning = owned_.keep(bytes_at(lua_, -1));
    lua_pop(lua_, 1);
    return standard;
  }

  void read_list(const Table& lock, const char* field, std::vector<std::string_view>& into) {
    for (int i = 1;; ++i, lua_pop(lua_, 1)) {
      lua_rawgeti(lua_, -1, i);
      if (lua_isnil(lua_, -1)) break;
      if (lua_type(lua_, -1) != LUA_TSTRING) lock.refuse(fmt::format("has {} that are no list of texts", field));
      into.push_back(owned_.keep(bytes_at(lua_, -1)));
    }
    lua_pop(lua_, 2);
  }

  Sandbox& sandbox_;
  lua_State* lua_;
  OwnedAlgorithm& owned_;
};

/// What has values only when a client uses the lock.
void offer_nothing(Sandbox& sandbox, const char* name, const char* with_verb) {
  lua_State* lua = sandbox.state();
  lua_newtable(lua);
  lua_newtable(lua);
  lua_pushstring(lua, with_verb);
  lua_pushcclosure(
      lua,
      [](lua_State* at) {
        return luaL_error(at, "%s values only inside acquire, renew, release, wait and retry",
                          lua_tostring(at, lua_upvalueindex(1)));
      },
      1);
  lua_setfield(lua, -2, "__index");
  lua_setmetatable(lua, -2);
  sandbox.offer(name);
}

}  // namespace

std::shared_ptr<const Algorithm> load_algorithm(const std::string& file, std::string text) {
  const auto owned = std::make_shared<OwnedAlgorithm>();
  owned->source.file = file;
  owned->source.text = std::move(text);
  Runtime runtime(owned->source);
  Sandbox& sandbox = runtime.sandbox;
  offer_nothing(sandbox, "parameters", "parameters have");
  offer_nothing(sandbox, "client", "client has");
  sandbox.load();
  for (const char* needed : {"acquire", "release"}) {
    if (!sandbox.has(needed))
      sandbox.refuse(fmt::format("there is no function {}: a lock needs acquire and release", needed));
  }
  Algorithm& made = owned->algorithm;
  made.name = owned->keep(std::filesystem::path(file).filename().string());
  made.file = owned->source.file;
  made.text = owned->source.text;
  owned->use = client_use(owned->source.text);
  made.knows_names = owned->use.name;
  lua_getglobal(sandbox.state(), about_itself);
  if (lua_istable(sandbox.state(), -1)) Declaration(sandbox, *owned).read();
  made.parameters = owned->parameters;
  made.further_keys = owned->keys;
  made.channels = owned->channels;
  return {owned, &made};
}

}  // namespace lockproof::lua
