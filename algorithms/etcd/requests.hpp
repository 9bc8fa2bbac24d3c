// SPDX-License-Identifier: Apache-2.0
// etcd's requests with types: leases, the transactions that locks are made of, and watches. Each change of a key has a
// revision of its own, which grows over all keys of the server, so the one at which a key was created is a fencing
// number. That there is no such lease is Error::refused, except where it says otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/port/store.hpp"

namespace lockproof::etcd {

using LeaseId = std::int64_t;
using Revision = std::int64_t;
inline constexpr LeaseId no_lease = 0;

struct Lease {
  LeaseId id;
  seconds ttl;  // as the server grants it: if it is not kept alive for this long, it ends, and its keys with it
};
struct Put {
  bool done;         // false: there is such a key already
  Revision created;  // of the key, whoever made it
  Revision first;    // the lowest at which a key under the prefix was created
  Revision now;      // of the answer
};
struct KeyRevision {
  Name key;
  Revision created;
  Revision now;
};

namespace detail {

template <class... V>
Command request(const char* verb, V&&... words) {
  std::vector<Value> all{verb};
  all.reserve(1 + sizeof...(words));
  (all.push_back(Value(std::forward<V>(words))), ...);
  return Command(std::move(all));
}
inline bool is_list(const Reply& r, std::size_t size) {
  return r.kind() == Reply::Kind::array && r.items().size() == size;
}
inline Result<bool> truth(const Reply& r) {
  if (r.kind() != Reply::Kind::integer) return Error::refused;
  return r.integer() == 1;
}
inline Result<Lease> lease(const Reply& r) {
  if (!is_list(r, 2)) return Error::refused;
  return Lease{r.items()[0].integer(), seconds(r.items()[1].integer())};
}
inline Result<std::optional<seconds>> time_left(const Reply& r) {
  if (r.kind() != Reply::Kind::integer) return Error::refused;
  return r.integer() > 0 ? std::optional(seconds(r.integer())) : std::nullopt;
}
inline Result<Put> put(const Reply& r) {
  if (!is_list(r, 4)) return Error::refused;
  const auto& items = r.items();
  return Put{items[0].is_integer(1), items[1].integer(), items[2].integer(), items[3].integer()};
}
inline Result<std::optional<KeyRevision>> found(const Reply& r) {
  if (r.is_nil()) return std::optional<KeyRevision>();
  if (!is_list(r, 3)) return Error::refused;
  const auto& items = r.items();
  return std::optional<KeyRevision>(KeyRevision{items[0].value(), items[1].integer(), items[2].integer()});
}

}  // namespace detail

inline Call<Lease> grant(seconds ttl) {
  return {detail::request("LEASE-GRANT", Value::number(ttl.count())), detail::lease};
}
/// The lease has its whole time again. Nothing: there is no such lease, which for etcd is no error.
inline Call<std::optional<seconds>> keep_alive(LeaseId lease) {
  return {detail::request("LEASE-KEEPALIVE", Value::number(lease)), detail::time_left};
}
/// Ends the lease, and with it all its keys, in one change.
inline Call<bool> revoke(LeaseId lease) {
  return {detail::request("LEASE-REVOKE", Value::number(lease)), detail::truth};
}

/// A transaction: if there is no such key, it is made, and ends with that lease. In either case it also answers which
/// key under the prefix was created first. `no_lease`: the key stays until somebody deletes it.
inline Call<Put> put_if_absent(Name key, LeaseId lease, Name prefix) {
  return {detail::request("PUT-IF-ABSENT", std::move(key), Value::number(lease), std::move(prefix)), detail::put};
}
/// Of the keys under the prefix that were created before this revision, the last.
inline Call<std::optional<KeyRevision>> last_before(Name prefix, Revision revision) {
  return {detail::request("LAST-BEFORE", std::move(prefix), Value::number(revision)), detail::found};
}
inline Call<std::optional<KeyRevision>> get(Name key) {
  return {detail::request("GET", std::move(key)), detail::found};
}
/// False: there was no such key.
inline Call<bool> remove(Name key) { return {detail::request("DELETE", std::move(key)), detail::truth}; }
/// A transaction: if the key was created at this revision, it is deleted. False: it was not, or there is none.
inline Call<bool> remove_if_created(Name key, Revision created) {
  return {detail::request("DELETE-IF", std::move(key), Value::number(created)), detail::truth};
}
/// Watches a key that was there at this revision: one message on the channel of its name tells that it has been deleted
/// since, whenever that was.
inline Call<bool> watch(Name key, Revision from) {
  return {detail::request("WATCH", std::move(key), Value::number(from)), detail::truth};
}

}  // namespace lockproof::etcd
