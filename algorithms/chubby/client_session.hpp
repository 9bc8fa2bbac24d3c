// SPDX-License-Identifier: Apache-2.0
// ClientSession: a Chubby session as its client knows it: its number, and until when its lease runs by the client's own
// clock, which is never later than the master's. Then the session is in jeopardy: perhaps the master has ended it,
// perhaps it is a new master that nobody has reached so far. For a time of grace the client goes on asking; if nothing
// is answered by the end of that, the session counts as ended.
#pragma once

#include <optional>
#include <string>

#include "algorithms/chubby/requests.hpp"
#include "algorithms/port/lock.hpp"

namespace lockproof::chubby {

class ClientSession final : public PinnedObject {
 public:
  ClientSession(Stores& cell, Clock& clock, Duration grace) : cell_(cell), clock_(clock), grace_(grace) {}

  /// Makes sure of a session that has some of its lease left: the one that there is, or a new one.
  Task<Result<bool>> open(milliseconds lease) {
    const Mono asked = clock_.mono();
    if (id_ && asked < *lease_ends_ - lease_ / 4) co_return true;
    if (id_ && asked < *lease_ends_) {
      const auto kept = co_await keep_alive();
      co_return kept;
    }
    const auto made = co_await cell_.at(0).run(create_session(lease));
    if (!made) co_return made.error();
    id_ = made->id;
    lease_ = made->lease;
    lease_ends_ = asked + lease_;
    co_return true;
  }

  /// 0: there is none; the master gives this number to nobody.
  [[nodiscard]] SessionId id() const { return id_.value_or(0); }

  /// A call has failed. The master refuses those of a session that has ended.
  Error failed(Error error) {
    if (error == Error::refused) id_.reset();
    return error;
  }

  /// Waits for the answer, which the master holds back, and counts the new lease from when it was sent at the earliest.
  /// In jeopardy it asks more often: whoever is the master then answers at once, if it is there.
  Task<Result<bool>> keep_alive() {
    const Mono asked = clock_.mono();
    const milliseconds at_most = asked < *lease_ends_ ? lease_ : lease_ / 4;
    const auto answers = co_await cell_.everywhere(chubby::keep_alive(id()), at_most);
    const Result<Extension>& kept = answers.front();
    if (!kept) co_return failed(kept.error());
    lease_ends_ = asked + kept->held + kept->lease;
    co_return true;
  }

  /// A grant that is good for as long as the session is safe. There is a KeepAlive at the master all the time.
  [[nodiscard]] Grant grant(Name lock) const {
    const Duration again = lease_ / 12;
    return {std::move(lock), Value::number(id()), *lease_ends_,
            Renewal{Duration{}, again, Pace::fixed_delay, OnFailure::retry, true}};
  }
  /// Nothing: the session has ended.
  Task<Result<std::optional<Grant>>> renew(Grant held) {
    const auto kept = co_await keep_alive();
    if (!kept && id_ && clock_.mono() >= *lease_ends_ + grace_) id_.reset();
    if (!kept && id_) co_return kept.error();  // in jeopardy, or soon
    if (!kept) co_return std::nullopt;
    held.deadline = *lease_ends_;
    co_return held;
  }

  [[nodiscard]] State state() const {
    State all{id(), std::int64_t{lease_.count()}};
    if (id_) all.emplace_back(*lease_ends_);
    return all;
  }

 private:
  Stores& cell_;
  Clock& clock_;
  const Duration grace_;
  std::optional<SessionId> id_;
  milliseconds lease_{};
  std::optional<Mono> lease_ends_;
};

}  // namespace lockproof::chubby
