// SPDX-License-Identifier: Apache-2.0
#include "harness/lua/lua_lock.hpp"

#include <fmt/format.h>

#include <lua.hpp>
#include <map>
#include <optional>
#include <utility>

#include "harness/lua/lock_memory.hpp"
#include "harness/lua/outcomes.hpp"
#include "harness/lua/values.hpp"

namespace lockproof::lua {
namespace {

constexpr char client_table[] = "lockproof.client";  // in the registry: what the file sees as `client`

/// One call of a function of the file, in a coroutine of its own.
class Step final : public PinnedObject {
 public:
  Step(Sandbox& sandbox, LockMemory& remembered, const char* function) : sandbox_(sandbox), remembered_(remembered) {
    remembered.begin_step();
    thread_ = lua_newthread(sandbox.state());
    reference_ = luaL_ref(sandbox.state(), LUA_REGISTRYINDEX);
    lua_getglobal(thread_, function);
  }
  ~Step() {
    remembered_.end_step();
    luaL_unref(sandbox_.state(), LUA_REGISTRYINDEX, reference_);
  }

  /// Where its arguments are pushed, or the answer to what it waits for, and what it returned is found.
  [[nodiscard]] lua_State* lua() const { return thread_; }

  /// Runs on with what has been pushed. True: it waits for a server; false: it has returned. Throws InputError.
  bool runs_on(int pushed) {
    Sandbox::limit(thread_);
    const int status = lua_resume(thread_, pushed);
    if (status == LUA_YIELD) return true;
    if (status != 0) sandbox_.fail(thread_, status);
    return false;
  }

 private:
  Sandbox& sandbox_;
  LockMemory& remembered_;
  lua_State* thread_ = nullptr;
  int reference_ = LUA_NOREF;
};

class LuaLock final : public Lock {
 public:
  LuaLock(Runtimes& runtimes, const Algorithm& algorithm, ClientUse use, Ports ports, const Parameters& parameters)
      : runtimes_(runtimes), algorithm_(algorithm), use_(use), ports_(ports), runtime_(runtimes.take()),
        sandbox_(runtime_->sandbox), calls_(runtime_->calls) {
    sandbox_.begin();
    calls_.begin(ports_);
    offer_parameters(parameters);
    offer_client();
    sandbox_.load();
    calls_.open();
    remembered_.emplace(sandbox_.state());
    const auto found = parameters.find("retry");
    if (found != parameters.end()) retry_ = {found->second, found->second};
    if (sandbox_.has("retry")) retry_ = retry_from_file();
  }

  ~LuaLock() override {
    if (!sandbox_.has_failed()) runtimes_.give_back(std::move(runtime_));
  }

  void turn_to(const Caller& caller) override {
    ports_.caller = caller;
    tell_client();
  }

  void begin_attempts(const Name& /*name*/, int round, Mode mode) override {
    ports_.caller.mode = mode;
    count() = {.round = round};
  }

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    ++count().attempt;
    tell_client();
    Step step(sandbox_, *remembered_, "acquire");
    push(step.lua(), name);
    push(step.lua(), Duration(lease.value_or(algorithm_.lease)));
    const int trips = co_await run(step, 2);
    Attempt attempt = Outcomes(sandbox_, step.lua()).attempt(name);
    if (std::holds_alternative<Grant>(attempt) && trips > algorithm_.round_trips) too_many(trips);
    co_return attempt;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    Step step(sandbox_, *remembered_, "release");
    push_grant(step.lua(), grant);
    co_await run(step, 1);
    co_return Outcomes(sandbox_, step.lua()).released();
  }

  Task<Result<std::optional<Grant>>> renew(Grant grant) override {
    if (!sandbox_.has("renew")) co_return Error::unsupported;
    Step step(sandbox_, *remembered_, "renew");
    push_grant(step.lua(), grant);
    co_await run(step, 1);
    co_return Outcomes(sandbox_, step.lua()).renewed(grant);
  }

  Task<bool> wait(Name name, Busy busy, Mono until) override {
    if (!sandbox_.has("wait")) co_return false;
    Step step(sandbox_, *remembered_, "wait");
    push(step.lua(), name);
    push(step.lua(), AnyInstant(until));
    busy.retry_after ? push(step.lua(), *busy.retry_after) : lua_pushnil(step.lua());
    co_await run(step, 3);
    co_return Outcomes(sandbox_, step.lua()).waited();
  }

  [[nodiscard]] Retry retry() const override { return retry_; }

  [[nodiscard]] State state() const override {
    State state = remembered_->now();
    for (const auto& [client, count] : counts_) {
      if (use_.round) state.emplace_back(std::int64_t{count.round});
      if (use_.attempt) state.emplace_back(std::int64_t{count.attempt});
    }
    return state;
  }

 private:
  /// The latest that has begun of one client.
  struct Count {
    int round = 0, attempt = 0;
  };
  Count& count() { return counts_[ports_.caller.name]; }

  /// Runs a step to its end, with what has been pushed. How often it waited for servers.
  Task<int> run(Step& step, int pushed) {
    int trips = 0;
    while (step.runs_on(pushed)) {
      ++trips;
      Request request = calls_.take();
      if (auto* one = std::get_if<ToOne>(&request)) {
        const Result<Reply> reply = co_await ports_.servers.at(one->server).call(std::move(one->command));
        pushed = push_answer(step.lua(), reply);
      } else if (auto* all = std::get_if<ToAll>(&request)) {
        const Replies replies = co_await ports_.servers.gather(std::move(all->command), all->timeout);
        pushed = push_answers(step.lua(), replies);
      } else if (auto* to = std::get_if<Subscription>(&request)) {
        const Result<Reply> reply = co_await ports_.servers.at(to->server).subscribe(std::move(to->channel));
        pushed = push_answer(step.lua(), reply);
      } else {
        auto& awaited = std::get<AwaitedMessage>(request);
        const bool came = co_await ports_.servers.at(awaited.server).message(std::move(awaited.channel), awaited.until);
        lua_pushboolean(step.lua(), came);
        pushed = 1;
      }
    }
    co_return trips;
  }

  void offer_parameters(const Parameters& parameters) {
    lua_newtable(sandbox_.state());
    for (const Parameter& declared : algorithm_.parameters) {
      const Duration value = parameters.find(declared.name)->second;
      lua_pushlstring(sandbox_.state(), declared.name.data(), declared.name.size());
      declared.counts ? lua_pushnumber(sandbox_.state(), static_cast<lua_Number>(value.count()))
                      : push(sandbox_.state(), value);
      lua_rawset(sandbox_.state(), -3);
    }
    sandbox_.seal();
    sandbox_.offer("parameters");
  }

  /// Pushed as text and numbers; what else the file asks for is a mistake.
  void offer_client() {
    lua_State* lua = sandbox_.state();
    lua_newtable(lua);
    lua_newtable(lua);
    lua_pushcfunction(lua, [](lua_State* at) {
      return luaL_error(at, "client has no field '%s'; it has name, mode, round and attempt",
                        lua_isstring(at, 2) ? lua_tostring(at, 2) : "?");
    });
    lua_setfield(lua, -2, "__index");
    lua_setmetatable(lua, -2);
    lua_pushvalue(lua, -1);
    lua_setfield(lua, LUA_REGISTRYINDEX, client_table);
    sandbox_.seal();
    sandbox_.offer("client");
    tell_client();
  }

  void tell_client() {
    lua_State* lua = sandbox_.state();
    lua_getfield(lua, LUA_REGISTRYINDEX, client_table);
    lua_pushlstring(lua, ports_.caller.name.data(), ports_.caller.name.size());
    lua_setfield(lua, -2, "name");
    lua_pushstring(lua, ports_.caller.mode == Mode::shared ? "shared" : "exclusive");
    lua_setfield(lua, -2, "mode");
    lua_pushinteger(lua, count().round);
    lua_setfield(lua, -2, "round");
    lua_pushinteger(lua, count().attempt);
    lua_setfield(lua, -2, "attempt");
    lua_pop(lua, 1);
  }

  Retry retry_from_file() {
    Step step(sandbox_, *remembered_, "retry");
    if (step.runs_on(0)) sandbox_.refuse_in("retry", "retry has no servers: it returns the least and the most delay");
    return Outcomes(sandbox_, step.lua()).retry();
  }

  [[noreturn]] void too_many(int trips) const {
    sandbox_.refuse_in("acquire", fmt::format("acquire waited for servers {} times before it was granted, and "
                                              "lock.round_trips says {}: a search relies on it; write round_trips = {}",
                                              trips, algorithm_.round_trips, trips));
  }

  Runtimes& runtimes_;
  const Algorithm& algorithm_;
  const ClientUse use_;
  std::map<std::string_view, Count> counts_;  // by client
  Ports ports_;
  std::unique_ptr<Runtime> runtime_;
  Sandbox& sandbox_;
  Calls& calls_;
  std::optional<LockMemory> remembered_;
  Retry retry_{milliseconds(50), milliseconds(50)};
};

}  // namespace

std::unique_ptr<Lock> make_lock(Runtimes& runtimes, const Algorithm& algorithm, ClientUse use, Ports ports,
                                const Parameters& parameters) {
  return std::make_unique<LuaLock>(runtimes, algorithm, use, ports, parameters);
}

}  // namespace lockproof::lua
