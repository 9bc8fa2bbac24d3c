// SPDX-License-Identifier: Apache-2.0
// redisson-semaphore: a counter of free permits. Who has one is not written down, so a permit has no lease and no
// owner.
// Source: Redisson, RSemaphore: RedissonSemaphore. It wakes waiters by a message, which is left out here.
// Claims: never more holders than permits, as long as no command is sent twice. Not claimed: that a crash frees one.
// Broken by: scenarios/documented/callers/permit-released-twice.toml, permit-of-the-dead.toml beside it
#include "algorithms/catalogue_shared.hpp"
#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"

namespace lockproof {
namespace {

class RedissonSemaphore final : public Lock {
 public:
  RedissonSemaphore(Ports ports, std::int64_t permits, Duration retry)
      : redis_(ports.servers.at(0)), permits_(permits), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> /*lease*/) override {
    const Grant grant(name, Token("permit"));
    const auto taken = co_await redis_.run(
        redis::eval(scripts::semaphore_acquire, redis::keys(counter(name)), redis::args(Value::number(permits_))));
    if (!taken) co_return Failure(taken.error(), grant);
    if (!taken->is_integer(1)) co_return Busy{};
    co_return grant;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto free = co_await redis_.run(redis::incr(counter(grant.name)));
    if (!free) co_return free.error();
    co_return ReleaseResult::yes;
  }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }

 private:
  static Name counter(const Name& name) { return Name(name.bytes() + ":permits"); }

  Store& redis_;
  const std::int64_t permits_;
  const Duration retry_;
};

}  // namespace

std::unique_ptr<Lock> make_redisson_semaphore(Ports ports, const Parameters& parameters) {
  return std::make_unique<RedissonSemaphore>(ports, parameters.at("permits").count(), parameters.at("retry"));
}

}  // namespace lockproof
