// SPDX-License-Identifier: Apache-2.0
// PostgreSQL's statements with types. Each is a file in algorithms/postgres/statements, sent byte for byte with its
// parameters; the simulated server knows it by the file's name. A reply has the values of the first row as text; nil:
// no row; a status: the statement has no rows; an error: its SQLSTATE.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/port/store.hpp"
#include "algorithms/statements.hpp"

namespace lockproof::postgres {

namespace detail {

template <class... V>
Command statement(Script text, V&&... parameters) {
  std::vector<Value> words;
  words.reserve(3 + sizeof...(parameters));
  words.emplace_back("SQL");
  words.emplace_back(std::string(text.text));
  words.push_back(Value::number(sizeof...(parameters)));
  (words.push_back(Value(std::forward<V>(parameters))), ...);
  return Command(text, std::move(words));
}
inline Result<bool> truth(const Reply& r) {
  if (r.kind() != Reply::Kind::array || r.items().size() != 1) return Error::refused;
  return r.items()[0].value() == Value("t");
}
inline Result<std::optional<std::int64_t>> number(const Reply& r) {
  if (r.is_nil()) return std::optional<std::int64_t>();
  if (r.kind() != Reply::Kind::array || r.items().size() != 1) return Error::refused;
  const std::string& digits = r.items()[0].value().bytes();
  std::int64_t n = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  if (failed != std::errc() || end != digits.data() + digits.size()) return Error::refused;
  return std::optional(n);
}
/// The word that a statement without rows is answered with: "COMMIT", or "ROLLBACK" where a COMMIT could only do that.
inline Result<Value> tag(const Reply& r) {
  if (r.kind() != Reply::Kind::status) return Error::refused;
  return r.value();
}

}  // namespace detail

inline Call<Value> begin() { return {detail::statement(statements::begin), detail::tag}; }
inline Call<Value> commit() { return {detail::statement(statements::commit), detail::tag}; }
inline Call<Value> rollback() { return {detail::statement(statements::rollback), detail::tag}; }
/// The transaction's COMMIT is answered when a standby has applied it; without a standby, never. Other commits are
/// answered at once, and reach standbys later.
inline Call<Value> remote_apply() { return {detail::statement(statements::remote_apply), detail::tag}; }

// Advisory locks. One that a session has belongs to its connection, and is counted: it is free when it was unlocked as
// often as it was locked, or when the connection has ended. One that a transaction has is free when that ends.
/// True: no other session has it.
inline Call<bool> try_advisory(Name lock) {
  return {detail::statement(statements::try_advisory, std::move(lock)), detail::truth};
}
/// True: this connection's session had it, and has it once less.
inline Call<bool> unlock_advisory(Name lock) {
  return {detail::statement(statements::unlock_advisory, std::move(lock)), detail::truth};
}
/// Whether this connection's session has it.
inline Call<bool> holds_advisory(Name lock) {
  return {detail::statement(statements::holds_advisory, std::move(lock)), detail::truth};
}
/// True: no other session has it. It is this transaction's; without one it is free again at once.
inline Call<bool> try_advisory_xact(Name lock) {
  return {detail::statement(statements::try_advisory_xact, std::move(lock)), detail::truth};
}

using Number = Call<std::optional<std::int64_t>>;
/// A number that no one gets twice, and each one after the other.
inline Number next_fence(Name lock) {
  return {detail::statement(statements::next_fence, std::move(lock)), detail::number};
}
/// The fencing number of the row that says who has the lock, and until when by the database's clock; nothing: another
/// one has it. It waits for a transaction that has changed the row, and then looks again.
inline Number take_row(Name lock, Token owner, milliseconds lease) {
  return {detail::statement(statements::take_row, std::move(lock), std::move(owner), lease), detail::number};
}
/// Nothing: the row is not this owner's.
inline Number give_row(Name lock, Token owner) {
  return {detail::statement(statements::give_row, std::move(lock), std::move(owner)), detail::number};
}
/// The same by the client's clock: it is free if its time is over at `now`, and taken until `until`.
inline Number take_row_client_time(Name lock, Token owner, Value now, Value until) {
  return {detail::statement(statements::take_row_client_time, std::move(lock), std::move(owner), std::move(now),
                            std::move(until)),
          detail::number};
}
/// Frees it from `now` on, whoever has it.
inline Number give_row_client_time(Name lock, Value now) {
  return {detail::statement(statements::give_row_client_time, std::move(lock), std::move(now)), detail::number};
}

}  // namespace lockproof::postgres
