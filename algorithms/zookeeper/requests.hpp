// SPDX-License-Identifier: Apache-2.0
// ZooKeeper's requests with types. Each but `connect` names the session that it belongs to: a client keeps its session
// over all its connections, and any request keeps it alive. What a lock expects (no such node, a node of that name) is
// a value; any other error of the server is Error::refused, and that the session has ended is the usual one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/port/store.hpp"

namespace lockproof::zookeeper {

using SessionId = std::int64_t;

struct Session {
  SessionId id;
  milliseconds timeout;  // as the server grants it: if it hears nothing for this long, it may end the session
};

namespace detail {

template <class... V>
Command request(const char* verb, V&&... words) {
  std::vector<Value> all{verb};
  all.reserve(1 + sizeof...(words));
  (all.push_back(Value(std::forward<V>(words))), ...);
  return Command(std::move(all));
}
inline Result<bool> truth(const Reply& r) {
  if (r.kind() != Reply::Kind::integer) return Error::refused;
  return r.integer() == 1;
}
/// Nothing: the server refuses because of the nodes that there are.
inline Result<std::optional<Name>> path(const Reply& r) {
  if (r.is_nil()) return std::optional<Name>();
  if (r.kind() != Reply::Kind::bulk) return Error::refused;
  return std::optional<Name>(r.value());
}
inline Result<Session> session(const Reply& r) {
  if (r.kind() != Reply::Kind::array || r.items().size() != 2) return Error::refused;
  return Session{r.items()[0].integer(), milliseconds(r.items()[1].integer())};
}
inline Result<std::vector<Name>> names(const Reply& r) {
  if (r.kind() != Reply::Kind::array) return Error::refused;
  std::vector<Name> all;
  for (const Reply& item : r.items()) all.push_back(item.value());
  return all;
}

}  // namespace detail

/// A new session, which ends when the server has heard nothing of it for so long.
inline Call<Session> connect(milliseconds timeout) { return {detail::request("CONNECT", timeout), detail::session}; }
/// Keeps the session alive and does nothing else.
inline Call<bool> ping(SessionId session) { return {detail::request("PING", Value::number(session)), detail::truth}; }
/// Ends the session, and with it all its nodes, in one change.
inline Call<bool> close(SessionId session) { return {detail::request("CLOSE", Value::number(session)), detail::truth}; }

/// The server has applied by now all that the leader of its ensemble had when it was asked. It asks the leader, which
/// refuses a session that has ended.
inline Call<bool> sync(SessionId session, Name path) {
  return {detail::request("SYNC", Value::number(session), std::move(path)), detail::truth};
}

/// An ephemeral node, which ends with the session. Nothing: there is a node of this name.
inline Call<std::optional<Name>> create(SessionId session, Name path) {
  return {detail::request("CREATE", Value::number(session), std::move(path), "E"), detail::path};
}
/// The same with a number behind its name, ten digits: one more than that of the node that was made before under the
/// same parent. The answer is the whole name.
inline Call<std::optional<Name>> create_numbered(SessionId session, Name path) {
  return {detail::request("CREATE", Value::number(session), std::move(path), "ES"), detail::path};
}
/// False: there is no such node.
inline Call<bool> remove(SessionId session, Name path) {
  return {detail::request("DELETE", Value::number(session), std::move(path)), detail::truth};
}
/// The names of the nodes under this one, without its own.
inline Call<std::vector<Name>> children(SessionId session, Name path) {
  return {detail::request("CHILDREN", Value::number(session), std::move(path)), detail::names};
}
/// Whether there is such a node. It leaves a watch, which tells over this connection, by one message on the channel of
/// this name, that the node was made or deleted. It tells once, and before any answer shows the change.
inline Call<bool> watch(SessionId session, Name path) {
  return {detail::request("EXISTS", Value::number(session), std::move(path), "W"), detail::truth};
}

}  // namespace lockproof::zookeeper
