// SPDX-License-Identifier: Apache-2.0
// redisson, redisson-note-002: a re-entrant lock in a hash, kept alive by a watchdog, with waiters woken by a message.
// Source: note 002, sections 2.2 and 2.4; waiting: RedissonLock.lock. note-002 is its watchdog taken literally: the
// next renewal is planned when the last one was answered, and the first one without an answer is the last. The other
// one keeps its rate, tries again, and notifies the holder of a loss.
// Claims: re-entrant; released by its owner only; kept while the watchdog runs; frees itself within a lease of a crash.
// Broken by: scenarios/documented/leases/one-renew-failure-kills-watchdog.toml, …/zombie-watchdog.toml
#include <algorithm>

#include "algorithms/catalogue.hpp"
#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"

namespace lockproof {
namespace {

class Redisson final : public Lock {
 public:
  Redisson(Ports ports, Duration watchdog_timeout, bool as_in_note_002)
      : redis_(ports.servers.at(0)), clock_(ports.clock), owner_(ports.random.token()),
        watchdog_timeout_(std::chrono::duration_cast<milliseconds>(watchdog_timeout)), as_in_note_002_(as_in_note_002) {
  }

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const milliseconds ttl = lease.value_or(watchdog_timeout_);
    Grant grant(name, owner_, clock_.mono() + ttl);
    if (!lease) grant.renewal = watchdog();  // a lease that the caller gives disables it
    if (!lease && as_in_note_002_) grant.deadline = {};

    const auto reply =
        co_await redis_.run(redis::eval(scripts::redisson_lock, redis::keys(name), redis::args(ttl, owner_)));
    if (!reply) co_return Failure(reply.error(), grant);
    if (!reply->is_nil()) co_return busy(*reply);
    co_return grant;
  }

  Task<Result<std::optional<Grant>>> renew(Grant grant) override {
    const Mono asked = clock_.mono();
    const auto kept = co_await redis_.run(
        redis::eval(scripts::redisson_renew, redis::keys(grant.name), redis::args(watchdog_timeout_, owner_)));
    if (!kept) co_return kept.error();
    if (!kept->is_integer(1)) co_return std::nullopt;
    if (!as_in_note_002_) grant.deadline = asked + watchdog_timeout_;
    co_return grant;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto left =
        co_await redis_.run(redis::eval(scripts::redisson_unlock, redis::keys(grant.name, channel(grant.name)),
                                        redis::args("0", watchdog_timeout_, owner_)));
    if (!left) co_return left.error();
    co_return left->is_nil() ? ReleaseResult::not_ours : ReleaseResult::yes;
  }

  Task<bool> wait(Name name, Busy busy, Mono until) override {
    if (!subscribed_) {  // the lock is tried again between the subscription and the first sleep
      const auto done = co_await redis_.subscribe(channel(name));
      subscribed_ = done.ok();
      co_return true;
    }
    if (busy.retry_after) until = std::min(until, clock_.mono() + *busy.retry_after);
    const bool told = co_await redis_.message(channel(name), until);
    (void)told;  // with or without a message, the lock is tried again
    co_return true;
  }

  [[nodiscard]] Retry retry() const override { return {Duration(0), Duration(0)}; }
  [[nodiscard]] State state() const override { return {subscribed_}; }

 private:
  [[nodiscard]] Renewal watchdog() const {
    const milliseconds third = watchdog_timeout_ / 3;  // the remainder is slack
    return as_in_note_002_ ? Renewal{third, third, Pace::fixed_delay, OnFailure::stop, false}
                           : Renewal{third, third, Pace::fixed_rate, OnFailure::retry, true};
  }
  static Name channel(const Name& name) { return Name("redisson_lock__channel:{" + name.bytes() + "}"); }
  static Attempt busy(const Reply& ttl) {
    if (ttl.kind() != Reply::Kind::integer) return Error::refused;
    if (ttl.integer() < 0) return Busy{};  // no time to live
    return Busy{milliseconds(ttl.integer())};
  }

  Store& redis_;
  Clock& clock_;
  const Token owner_;
  const milliseconds watchdog_timeout_;
  const bool as_in_note_002_;
  bool subscribed_ = false;
};

}  // namespace

std::unique_ptr<Lock> make_redisson(Ports ports, const Parameters& parameters) {
  return std::make_unique<Redisson>(ports, parameters.at("watchdog_timeout"), false);
}
std::unique_ptr<Lock> make_redisson_note_002(Ports ports, const Parameters& parameters) {
  return std::make_unique<Redisson>(ports, parameters.at("watchdog_timeout"), true);
}

}  // namespace lockproof
