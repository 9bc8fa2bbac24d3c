// SPDX-License-Identifier: Apache-2.0
// redisson-read-write: readers share a hash of owners, which a writer has alone. It lives as long as the longest of
// their leases. Redisson keeps a key beside it for the lease of each reader, and shortens the rest when one leaves; it
// wakes waiters by a message. Both are left out here.
// Source: Redisson, RReadWriteLock: RedissonReadLock, RedissonWriteLock.
// Claims: no writer beside a reader, and no two writers, while nobody outlives its lease; frees itself within a lease.
// Broken by: scenarios/documented/leases/reader-outlives-lease.toml
#include "algorithms/catalogue_shared.hpp"
#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"

namespace lockproof {
namespace {

class RedissonReadWrite final : public Lock {
 public:
  RedissonReadWrite(Ports ports, Duration retry)
      : redis_(ports.servers.at(0)), clock_(ports.clock), owner_(ports.random.token()), mode_(ports.caller.mode),
        retry_(retry) {}

  void turn_to(const Caller& caller) override { mode_ = caller.mode; }
  void begin_attempts(const Name& /*name*/, int /*round*/, Mode mode) override { mode_ = mode; }

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const milliseconds ttl = lease.value_or(default_lease);
    const Grant grant(name, owner_, clock_.mono() + ttl);
    const auto left = co_await redis_.run(
        redis::eval(scripts::redisson_read_write_lock, redis::keys(name), redis::args(ttl, owner_, word())));
    if (!left) co_return Failure(left.error(), grant);
    if (!left->is_nil()) co_return Busy{};
    co_return grant;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto left = co_await redis_.run(
        redis::eval(scripts::redisson_read_write_unlock, redis::keys(grant.name), redis::args(owner_)));
    if (!left) co_return left.error();
    co_return left->is_nil() ? ReleaseResult::not_ours : ReleaseResult::yes;
  }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }

 private:
  [[nodiscard]] Value word() const { return Value(mode_ == Mode::shared ? "read" : "write"); }

  Store& redis_;
  Clock& clock_;
  const Token owner_;
  Mode mode_;  // that of the round of whose call comes next
  const Duration retry_;
};

}  // namespace

std::unique_ptr<Lock> make_redisson_read_write(Ports ports, const Parameters& parameters) {
  return std::make_unique<RedissonReadWrite>(ports, parameters.at("retry"));
}

}  // namespace lockproof
