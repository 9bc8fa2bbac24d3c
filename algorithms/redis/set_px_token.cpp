// SPDX-License-Identifier: Apache-2.0
// set-px-token: one command takes the key with a fresh token and a time to live; one script releases it.
// Source: redis.io, "Distributed Locks with Redis", the single-instance case; notes 000, 001, 003 and 004.
// Claims: released by its owner only; frees itself; never two entitled as long as the clocks keep time. Not claimed:
// that a holder which runs on past its deadline is alone.
// Broken by: scenarios/documented/leases/lease-outlived.toml, scenarios/documented/clocks/server-clock-forward.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"

namespace lockproof {
namespace {

class SetPxToken final : public Lock {
 public:
  SetPxToken(Ports ports, Duration retry)
      : redis_(ports.servers.at(0)), clock_(ports.clock), random_(ports.random), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const milliseconds ttl = lease.value_or(default_lease);
    const Token token = random_.token();
    const Grant grant(name, token, clock_.mono() + ttl);  // counted from before the request leaves: never too long

    const auto won = co_await redis_.run(redis::set_nx_px(name, token, ttl));
    if (!won) co_return Failure(won.error(), grant);
    if (!*won) co_return Busy{};
    co_return grant;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto deleted = co_await redis_.run(
        redis::eval(scripts::compare_and_delete, redis::keys(grant.name), redis::args(grant.token)));
    if (!deleted) co_return deleted.error();
    co_return deleted->is_integer(1) ? ReleaseResult::yes : ReleaseResult::not_ours;
  }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }

 private:
  Store& redis_;
  Clock& clock_;
  Random& random_;
  const Duration retry_;
};

}  // namespace

std::unique_ptr<Lock> make_set_px_token(Ports ports, const Parameters& parameters) {
  return std::make_unique<SetPxToken>(ports, parameters.at("retry"));
}

}  // namespace lockproof
