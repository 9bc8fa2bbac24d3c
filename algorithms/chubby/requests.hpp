// SPDX-License-Identifier: Apache-2.0
// Chubby's calls with types. Each but `create_session` names the session that it belongs to, which ends unless its
// KeepAlives are answered; no other call keeps it. That it has ended is Error::refused.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/port/store.hpp"

namespace lockproof::chubby {

using SessionId = std::int64_t;

struct Session {
  SessionId id;
  milliseconds lease;  // counted from when the master made it, or later
};

/// The answer to a KeepAlive.
struct Extension {
  milliseconds held;   // how long the master has held it back
  milliseconds lease;  // counted from when it answered
};

/// What a holder shows to the servers that it uses, so that they can tell it from later holders.
struct Sequencer {
  Name lock;
  Value mode;
  std::int64_t generation;  // grows with each time that the lock, which was free, is taken
};

namespace detail {

inline bool has(const Reply& r, std::size_t items) {
  return r.kind() == Reply::Kind::array && r.items().size() == items;
}
inline Result<bool> truth(const Reply& r) {
  if (r.kind() != Reply::Kind::integer) return Error::refused;
  return r.integer() == 1;
}
inline Result<Session> session(const Reply& r) {
  if (!has(r, 2)) return Error::refused;
  return Session{r.items()[0].integer(), milliseconds(r.items()[1].integer())};
}
inline Result<Extension> extension(const Reply& r) {
  if (!has(r, 2)) return Error::refused;
  return Extension{milliseconds(r.items()[0].integer()), milliseconds(r.items()[1].integer())};
}
inline Result<std::optional<Sequencer>> sequencer(const Reply& r) {
  if (r.is_nil()) return std::optional<Sequencer>();
  if (!has(r, 3)) return Error::refused;
  return std::optional(Sequencer{r.items()[0].value(), r.items()[1].value(), r.items()[2].integer()});
}

}  // namespace detail

/// A new session. In a real cell the master decides how long its lease is; here the client asks for it.
inline Call<Session> create_session(milliseconds lease) { return {Command({"CREATESESSION", lease}), detail::session}; }
/// Extends the session's lease. The master answers when little is left of it, and not before.
inline Call<Extension> keep_alive(SessionId session) {
  return {Command({"KEEPALIVE", Value::number(session)}), detail::extension};
}
/// Takes the lock, exclusively, if it is free. If the session ends before it is released, nobody else gets it for as
/// long as the lock-delay says. False: it is another session's, or was until a moment ago.
inline Call<bool> try_acquire(SessionId session, Name lock, milliseconds lock_delay) {
  return {Command({"TRYACQUIRE", Value::number(session), std::move(lock), lock_delay}), detail::truth};
}
/// Nothing: the session does not have the lock.
inline Call<std::optional<Sequencer>> get_sequencer(SessionId session, Name lock) {
  return {Command({"GETSEQUENCER", Value::number(session), std::move(lock)}), detail::sequencer};
}
/// False: the session does not have it.
inline Call<bool> release(SessionId session, Name lock) {
  return {Command({"RELEASE", Value::number(session), std::move(lock)}), detail::truth};
}

}  // namespace lockproof::chubby
