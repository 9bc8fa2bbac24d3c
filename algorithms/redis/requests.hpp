// SPDX-License-Identifier: Apache-2.0
// Redis verbs with types. None needs braces at the place of use: GCC 12 miscompiles those inside co_await.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "algorithms/port/store.hpp"

namespace lockproof::redis {

namespace detail {

inline Result<bool> one(const Reply& r) {
  if (r.kind() != Reply::Kind::integer) return Error::refused;
  return r.integer() == 1;
}
inline Result<std::int64_t> integer(const Reply& r) {
  if (r.kind() != Reply::Kind::integer) return Error::refused;
  return r.integer();
}
inline Result<bool> ok_or_nil(const Reply& r) {
  if (r.kind() == Reply::Kind::status) return true;
  if (r.is_nil()) return false;
  return Error::refused;
}
inline Result<std::optional<Value>> bulk_or_nil(const Reply& r) {
  if (r.kind() == Reply::Kind::bulk) return std::optional(r.value());
  if (r.is_nil()) return std::optional<Value>();
  return Error::refused;
}
inline Result<Reply> any(const Reply& r) {
  if (r.is_error()) return Error::refused;
  return r;
}
template <class... V>
Command words(V&&... v) {
  std::vector<Value> w;
  w.reserve(sizeof...(v));
  (w.push_back(Value(std::forward<V>(v))), ...);
  return Command(std::move(w));
}

}  // namespace detail

/// True: the key did not exist and is set now.
inline Call<bool> setnx(Name key, Value value) {
  return {detail::words("SETNX", std::move(key), std::move(value)), detail::one};
}
/// True: the key did not exist; it is set and expires after `ttl`.
inline Call<bool> set_nx_px(Name key, Value value, milliseconds ttl) {
  return {detail::words("SET", std::move(key), std::move(value), "NX", "PX", ttl), detail::ok_or_nil};
}
/// The same in seconds.
inline Call<bool> set_nx_ex(Name key, Value value, seconds ttl) {
  return {detail::words("SET", std::move(key), std::move(value), "NX", "EX", ttl), detail::ok_or_nil};
}
/// True: the key exists and expires after `ttl` from now, whatever was left. A ttl of 0 deletes it.
inline Call<bool> expire(Name key, seconds ttl) { return {detail::words("EXPIRE", std::move(key), ttl), detail::one}; }
/// True: the key existed.
inline Call<bool> del(Name key) { return {detail::words("DEL", std::move(key)), detail::one}; }
/// One more than it was; a key that was not there was 0.
inline Call<std::int64_t> incr(Name key) { return {detail::words("INCR", std::move(key)), detail::integer}; }
inline Call<std::optional<Value>> get(Name key) { return {detail::words("GET", std::move(key)), detail::bulk_or_nil}; }
/// Sets the key, without a time to live, and answers what was there.
inline Call<std::optional<Value>> getset(Name key, Value value) {
  return {detail::words("GETSET", std::move(key), std::move(value)), detail::bulk_or_nil};
}

/// How many replicas have all earlier writes of this connection: waits until there are that many, or for that time.
inline Call<std::int64_t> wait(std::int64_t replicas, milliseconds at_most) {
  return {detail::words("WAIT", Value::number(replicas), at_most), detail::integer};
}

/// The KEYS and the ARGV of a script.
template <class... V>
std::vector<Value> keys(V... v) {
  std::vector<Value> list;
  (list.push_back(Value(std::move(v))), ...);
  return list;
}
template <class... V>
std::vector<Value> args(V... v) {
  return keys(std::move(v)...);
}
inline Call<Reply> eval(Script script, std::vector<Value> keys, std::vector<Value> args) {
  std::vector<Value> words;
  words.reserve(3 + keys.size() + args.size());
  words.emplace_back("EVAL");
  words.emplace_back(std::string(script.text));
  words.push_back(Value::number(static_cast<std::int64_t>(keys.size())));
  for (auto& k : keys) words.push_back(std::move(k));
  for (auto& a : args) words.push_back(std::move(a));
  return {Command(script, std::move(words)), detail::any};
}

}  // namespace lockproof::redis
