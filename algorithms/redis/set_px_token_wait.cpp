// SPDX-License-Identifier: Apache-2.0
// set-px-token-wait: set-px-token that counts the lock as granted only if a replica has it too, or `replicas` of them:
// WAIT after SET.
// Source: redis.io, WAIT; the usual answer to failover-lost-lock.
// Claims: those of set-px-token. It loses the lock to fewer failovers, not to none, and no client gets it from a master
// that too few replicas follow.
// Broken by: scenarios/documented/replication/wait-restarts-empty.toml,
// scenarios/documented/replication/failover-lost-lock-wait.toml,
// scenarios/documented/replication/wait-one-of-two-replicas.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"

namespace lockproof {
namespace {

class SetPxTokenWait final : public Lock {
 public:
  SetPxTokenWait(Ports ports, Duration wait, std::int64_t replicas, Duration retry)
      : redis_(ports.servers.at(0)), clock_(ports.clock), random_(ports.random),
        wait_(std::chrono::duration_cast<milliseconds>(wait)), replicas_(replicas), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const milliseconds ttl = lease.value_or(default_lease);
    const Token token = random_.token();
    const Grant grant(name, token, clock_.mono() + ttl);

    const auto won = co_await redis_.run(redis::set_nx_px(name, token, ttl));
    if (!won) co_return Failure(won.error(), grant);
    if (!*won) co_return Busy{};
    const auto copies = co_await redis_.run(redis::wait(replicas_, wait_));  // on the connection of the SET
    if (!copies) co_return Failure(copies.error(), grant);
    if (*copies >= replicas_) co_return grant;
    const auto released = co_await release(grant);
    if (!released) co_return Failure(released.error(), grant);
    co_return Busy{};
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
  const milliseconds wait_;
  const std::int64_t replicas_;
  const Duration retry_;
};

}  // namespace

std::unique_ptr<Lock> make_set_px_token_wait(Ports ports, const Parameters& parameters) {
  return std::make_unique<SetPxTokenWait>(ports, parameters.at("wait"), parameters.at("replicas").count(),
                                          parameters.at("retry"));
}

}  // namespace lockproof
