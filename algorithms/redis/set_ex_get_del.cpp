// SPDX-License-Identifier: Apache-2.0
// set-ex-get-del: the value names the owner; the release reads it first and then deletes the key.
// Source: notes 000 and 001, scheme one, step 4 (the second remedy); note 004, the second releaseLock.
// Claims: frees itself; never two entitled as long as the clocks keep time. Not claimed: that the lock is still its own
// when the DEL arrives, since it may change hands between the two commands.
// Broken by: scenarios/notes/get-then-del.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/redis/requests.hpp"

namespace lockproof {
namespace {

class SetExGetDel final : public Lock {
 public:
  SetExGetDel(Ports ports, Duration retry)
      : redis_(ports.servers.at(0)), clock_(ports.clock), random_(ports.random), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const seconds ttl = std::chrono::floor<seconds>(lease.value_or(default_lease));
    const Token token = random_.token();
    const Grant grant(name, token, clock_.mono() + ttl);

    const auto won = co_await redis_.run(redis::set_nx_ex(name, token, ttl));
    if (!won) co_return Failure(won.error(), grant);
    if (!*won) co_return Busy{};
    co_return grant;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto holder = co_await redis_.run(redis::get(grant.name));
    if (!holder) co_return holder.error();
    if (*holder != grant.token) co_return ReleaseResult::not_ours;

    const auto deleted = co_await redis_.run(redis::del(grant.name));
    if (!deleted) co_return deleted.error();
    co_return *deleted ? ReleaseResult::yes : ReleaseResult::not_ours;
  }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }

 private:
  Store& redis_;
  Clock& clock_;
  Random& random_;
  const Duration retry_;
};

}  // namespace

std::unique_ptr<Lock> make_set_ex_get_del(Ports ports, const Parameters& parameters) {
  return std::make_unique<SetExGetDel>(ports, parameters.at("retry"));
}

}  // namespace lockproof
