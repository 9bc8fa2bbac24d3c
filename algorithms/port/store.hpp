// SPDX-License-Identifier: Apache-2.0
// Store: one server as this client sees it. Stores: all of them. The simulator and the real driver implement these two
// interfaces and nothing else of a server; an algorithm cannot tell which one it runs on.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "algorithms/port/command.hpp"
#include "algorithms/port/instant.hpp"
#include "algorithms/port/result.hpp"
#include "algorithms/port/task.hpp"

namespace lockproof {

/// A command that is not sent yet, and how to read its reply. Await Store::run with it, or send it everywhere.
template <class R>
class Call {
 public:
  using Read = Result<R> (*)(const Reply&);
  Call(Command to_send, Read how_to_read) : command(std::move(to_send)), read(how_to_read) {}
  Command command;
  Read read;
};

class Store : public PinnedObject {
 public:
  virtual ~Store() = default;

  /// Sends a command on this process's connection, on which commands of all its tasks keep their order, and waits for
  /// the reply or the connection's time-out. `no_reply` is indefinite; a server's error is a Reply of that kind.
  virtual Task<Result<Reply>> call(Command command) = 0;

  /// Subscribes to a channel, on a connection of its own; returns when the server has confirmed. Once is enough.
  virtual Task<Result<Reply>> subscribe(Name /*channel*/) { co_return Error::unsupported; }
  /// Waits for a message on a channel, at most until `until`. True: at least one has come since the last call, or came
  /// now; several count as one. It comes at once if one is there already.
  virtual Task<bool> message(Name /*channel*/, Mono /*until*/) { co_return false; }

  /// A typed verb. A server's error, or a reply of a kind that the verb never has, is Error::refused.
  template <class R>
  Task<Result<R>> run(Call<R> verb) {
    const Result<Reply> reply = co_await call(std::move(verb.command));
    if (!reply) co_return reply.error();
    co_return verb.read(*reply);
  }
};

using Replies = std::vector<Result<Reply>>;

class Stores : public PinnedObject {
 public:
  virtual ~Stores() = default;
  [[nodiscard]] virtual std::size_t size() const = 0;
  virtual Store& at(std::size_t i) = 0;

  /// Sends the same command to every server at once: all are sent in one suspension, and it returns when all have
  /// answered or at the time-out, in server order. The order and the times of the answers are not visible.
  virtual Task<Replies> gather(Command command, Duration timeout) = 0;

  template <class R>
  Task<std::vector<Result<R>>> everywhere(Call<R> verb, Duration timeout) {
    const Replies replies = co_await gather(std::move(verb.command), timeout);
    std::vector<Result<R>> read;
    read.reserve(replies.size());
    for (const auto& reply : replies) read.push_back(reply ? verb.read(*reply) : Result<R>(reply.error()));
    co_return read;
  }
};

}  // namespace lockproof
