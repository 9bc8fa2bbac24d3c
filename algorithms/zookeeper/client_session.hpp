// SPDX-License-Identifier: Apache-2.0
// ClientSession: a ZooKeeper session as its client knows it: its number, and until when, by the client's own clock, the
// server cannot have ended it. Nothing is sent in the background: the holder's watchdog keeps the session, and whoever
// waits looks again at least three times in its time-out.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "algorithms/port/lock.hpp"
#include "algorithms/zookeeper/requests.hpp"

namespace lockproof::zookeeper {

class ClientSession final : public PinnedObject {
 public:
  /// `syncs`: it asks the leader of the ensemble before it believes what its own server says.
  ClientSession(Store& zookeeper, Clock& clock, bool syncs = false)
      : zookeeper_(zookeeper), clock_(clock), syncs_(syncs) {}

  /// Opens a session if there is none, or if the last one may have ended. True: it is a new one.
  Task<Result<bool>> open(milliseconds timeout) {
    const Mono asked = clock_.mono();
    if (id_ && asked < *good_until_) co_return false;
    const auto opened = co_await zookeeper_.run(connect(timeout));
    if (!opened) co_return opened.error();
    id_ = opened->id;
    timeout_ = opened->timeout;
    heard(asked);
    co_return true;
  }
  /// 0: there is none; the server gives this number to nobody.
  [[nodiscard]] SessionId id() const { return id_.value_or(0); }

  /// The server has answered what was asked at this instant.
  void heard(Mono asked) { good_until_ = asked + timeout_; }
  /// A request has failed. The server refuses those of a session that has ended.
  Error failed(Error error) {
    if (error == Error::refused) id_.reset();
    return error;
  }

  /// A grant that is good for as long as the session is.
  [[nodiscard]] Grant grant(Name lock, Name node) const {
    return {std::move(lock), std::move(node), *good_until_,
            Renewal{timeout_ / 3, timeout_ / 3, Pace::fixed_rate, OnFailure::retry, true}};
  }
  Task<Result<std::optional<Grant>>> renew(Grant held) {
    const Mono asked = clock_.mono();
    const Call<bool> ask = syncs_ ? sync(id(), held.name) : ping(id());
    const auto alive = co_await zookeeper_.run(ask);
    if (!alive && failed(alive.error()) == Error::refused) co_return std::nullopt;
    if (!alive) co_return alive.error();
    heard(asked);
    held.deadline = *good_until_;
    co_return held;
  }
  /// The names of the nodes under the lock's.
  Task<Result<std::vector<Name>>> nodes_of(Name lock) {
    const Mono asked = clock_.mono();
    if (syncs_) {
      const auto synced = co_await zookeeper_.run(sync(id(), lock));
      if (!synced) co_return failed(synced.error());
    }
    const auto names = co_await zookeeper_.run(children(id(), std::move(lock)));
    if (!names) co_return failed(names.error());
    heard(asked);
    co_return *names;
  }
  /// Deletes a node of this session.
  Task<Result<ReleaseResult>> release(Name node) {
    const auto removed = co_await zookeeper_.run(remove(id(), std::move(node)));
    if (!removed && failed(removed.error()) == Error::refused) co_return ReleaseResult::not_ours;
    if (!removed) co_return removed.error();
    co_return *removed ? ReleaseResult::yes : ReleaseResult::not_ours;
  }
  /// Watches a node. Returns when it is gone, or when it is time to look again. True: it has been told that it is gone.
  Task<Result<bool>> wait_for_end(Name node, Mono until) {
    const auto there = co_await zookeeper_.run(watch(id(), node));
    if (!there) co_return failed(there.error());
    if (!*there) co_return false;
    const bool told = co_await zookeeper_.message(node, std::min(until, clock_.mono() + timeout_ / 3));
    co_return told;
  }

  [[nodiscard]] State state() const {
    State all{id(), std::int64_t{timeout_.count()}};
    if (id_) all.emplace_back(*good_until_);
    return all;
  }

 private:
  Store& zookeeper_;
  Clock& clock_;
  const bool syncs_;
  std::optional<SessionId> id_;
  milliseconds timeout_{};
  std::optional<Mono> good_until_;
};

}  // namespace lockproof::zookeeper
