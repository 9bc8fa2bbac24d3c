// SPDX-License-Identifier: Apache-2.0
// memcached's verbs with types. It has no delete that compares. But `cas` with a time to live of -1 acts as one: it
// stores an item that has expired already, and only if no client has changed the item since `gets`.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/port/store.hpp"

namespace lockproof::memcached {

/// What `gets` answers.
struct Item {
  Value value;
  Value unique;  // changes with each write; for `cas` only
};

namespace detail {

template <class... V>
Command command(V&&... v) {
  std::vector<Value> words;
  words.reserve(sizeof...(v));
  (words.push_back(Value(std::forward<V>(v))), ...);
  return Command(std::move(words));
}
/// True: the answer is `done`. An error, such as a lack of memory, or an answer of another kind, is Error::refused.
inline Result<bool> is(const Reply& r, const char* done) {
  if (r.kind() != Reply::Kind::status) return Error::refused;
  return r.value() == Value(done);
}
inline Result<bool> stored(const Reply& r) { return is(r, "STORED"); }
inline Result<bool> deleted(const Reply& r) { return is(r, "DELETED"); }
inline Result<std::optional<Item>> item_or_nil(const Reply& r) {
  if (r.is_nil()) return std::optional<Item>();
  if (r.kind() != Reply::Kind::array || r.items().size() != 2) return Error::refused;
  return std::optional(Item{r.items()[0].value(), Value::number(r.items()[1].integer())});
}

}  // namespace detail

/// True: there was no such item, and there is one now. It lives for more than `ttl` - 1 s and at most for `ttl`, since
/// the server counts whole seconds of its own. 0: without end; negative: it has expired already; more than 30 days: it
/// is taken for a date in seconds since 1970.
inline Call<bool> add(Name key, Value value, seconds ttl) {
  return {detail::command("add", std::move(key), std::move(value), ttl), detail::stored};
}
inline Call<std::optional<Item>> gets(Name key) {
  return {detail::command("gets", std::move(key)), detail::item_or_nil};
}
/// True: the item was there, unchanged since `gets` answered `unique`, and has this value and `ttl` now.
inline Call<bool> cas(Name key, Value value, seconds ttl, Value unique) {
  return {detail::command("cas", std::move(key), std::move(value), ttl, std::move(unique)), detail::stored};
}
/// True: there was such an item, whichever client had stored it.
inline Call<bool> remove(Name key) { return {detail::command("delete", std::move(key)), detail::deleted}; }

}  // namespace lockproof::memcached
