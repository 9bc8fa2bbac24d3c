// SPDX-License-Identifier: Apache-2.0
// ClientLease: an etcd lease as its client knows it: its id, and until when, by the client's own clock, the server
// cannot have ended it. Nothing is sent in the background, where etcd's client keeps a session alive: the holder's
// watchdog keeps the lease, and whoever waits does so at least three times in its time.
#pragma once

#include <algorithm>
#include <optional>

#include "algorithms/etcd/requests.hpp"
#include "algorithms/port/lock.hpp"

namespace lockproof::etcd {

class ClientLease final : public PinnedObject {
 public:
  ClientLease(Store& etcd, Clock& clock) : etcd_(etcd), clock_(clock) {}

  /// A lease with all its time before it: the one that there is, kept alive, or else a new one.
  Task<Result<LeaseId>> open(milliseconds wanted) {
    if (id_ != no_lease) {
      const auto kept = co_await keep_alive();
      if (!kept) co_return kept.error();
      if (*kept) co_return id_;
    }
    const Mono asked = clock_.mono();
    const auto granted = co_await etcd_.run(grant(std::chrono::ceil<seconds>(wanted)));
    if (!granted) co_return granted.error();
    id_ = granted->id;
    ttl_ = granted->ttl;
    good_until_ = asked + ttl_;
    co_return id_;
  }
  [[nodiscard]] LeaseId id() const { return id_; }

  /// The server's refusal means that the lease has ended.
  Error failed(Error error) {
    if (error == Error::refused) id_ = no_lease;
    return error;
  }

  /// False: the lease has ended.
  Task<Result<bool>> keep_alive() {
    const Mono asked = clock_.mono();
    const auto left = co_await etcd_.run(etcd::keep_alive(id_));
    if (!left) co_return left.error();
    if (*left) good_until_ = asked + **left;
    co_return left->has_value();
  }

  /// A grant that is good for as long as the lease is. `created`: its key's, the fencing number.
  [[nodiscard]] Grant grant_of(Name lock, Name key, Revision created) const {
    Grant grant{std::move(lock), std::move(key), *good_until_,
                Renewal{ttl_ / 3, ttl_ / 3, Pace::fixed_rate, OnFailure::retry, true}};
    grant.fence = created;
    return grant;
  }
  Task<Result<std::optional<Grant>>> renew(Grant held) {
    const auto kept = co_await keep_alive();
    if (!kept) co_return kept.error();
    if (!*kept) co_return std::nullopt;
    held.deadline = *good_until_;
    co_return held;
  }
  /// Forgets it: it ends by itself if it has not been revoked.
  void forget() { id_ = no_lease; }

  /// Waits until a key is deleted that was there at this revision, or until it is time to keep the lease.
  Task<bool> wait_for_deletion(Name key, Revision from, Mono until) {
    const auto watched = co_await etcd_.run(watch(key, from));
    if (!watched) co_return false;
    const Mono keep = clock_.mono() + ttl_ / 3;
    static_cast<void>(co_await etcd_.message(key, std::min(until, keep)));
    co_return true;
  }

  [[nodiscard]] State state() const {
    State all{id_, std::int64_t{ttl_.count()}};
    if (id_ != no_lease) all.emplace_back(*good_until_);
    return all;
  }

 private:
  Store& etcd_;
  Clock& clock_;
  LeaseId id_ = no_lease;
  milliseconds ttl_{};
  std::optional<Mono> good_until_;
};

}  // namespace lockproof::etcd
