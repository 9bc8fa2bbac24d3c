// SPDX-License-Identifier: Apache-2.0
// Calls: what a lock in Lua can do: call, everywhere, subscribe, message, servers, clock, random. A function that waits
// for a server suspends its coroutine with a Request; what it reads at once it reads from the ports.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "algorithms/port/lock.hpp"

struct lua_State;

namespace lockproof::lua {

class Sandbox;

struct ToOne {
  std::size_t server;
  Command command;
};
struct ToAll {
  Command command;
  Duration timeout;
};
struct Subscription {
  std::size_t server;
  Name channel;
};
struct AwaitedMessage {
  std::size_t server;
  Name channel;
  Mono until;
};
using Request = std::variant<std::monostate, ToOne, ToAll, Subscription, AwaitedMessage>;

class Calls final : public PinnedObject {
 public:
  /// Offers the functions to the files of this sandbox.
  explicit Calls(Sandbox& sandbox);

  /// For one lock: `servers` is among its globals. The file's own lines run next, and no function may be used by them.
  void begin(const Ports& ports);
  /// Now they may. Without this a file is only looked at.
  void open() { open_ = true; }
  /// What the coroutine that has just been suspended waits for.
  [[nodiscard]] Request take() { return std::move(request_); }

 private:
  struct Lua;
  Sandbox& sandbox_;
  const Ports* ports_ = nullptr;
  bool open_ = false;
  Request request_;
};

/// What a request's function returns in Lua; the number of values pushed. A reply, or nil and why there is none.
int push_answer(lua_State* lua, const Result<Reply>& reply);
/// A list of {reply = …, why = …}, by server.
int push_answers(lua_State* lua, const Replies& replies);
/// "no-reply", "not-sent", "refused" or "unsupported".
[[nodiscard]] std::optional<Error> error_from(std::string_view word);

}  // namespace lockproof::lua
