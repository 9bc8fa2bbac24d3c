// SPDX-License-Identifier: Apache-2.0
// guard-thread-repaired: the notes' guard thread with slack, an owner check, and a holder that is notified of a loss.
// Source: notes 000 and 001, scheme one, step 5, mended: renewed at every third of the lease to the whole lease, only
// if the token is still ours; a lost request does not end it. Claims: kept while its holder runs and two renewals in a
// row do not fail; renews no other client's lock. Broken by: scenarios/documented/leases/lease-outlived-watchdog.toml
// (a pause stops the guard as well)
#include "algorithms/catalogue.hpp"
#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"

namespace lockproof {
namespace {

class GuardThreadRepaired final : public Lock {
 public:
  GuardThreadRepaired(Ports ports, Duration retry)
      : redis_(ports.servers.at(0)), clock_(ports.clock), random_(ports.random), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    lease_ = lease.value_or(default_lease);
    const Duration third = lease_ / 3;
    const Token token = random_.token();
    const Renewal kept{third, third, Pace::fixed_rate, OnFailure::retry, true};
    const Grant grant(name, token, clock_.mono() + lease_, kept);

    const auto won = co_await redis_.run(redis::set_nx_px(name, token, lease_));
    if (!won) co_return Failure(won.error(), grant);
    if (!*won) co_return Busy{};
    co_return grant;
  }

  Task<Result<std::optional<Grant>>> renew(Grant grant) override {
    const Mono asked = clock_.mono();
    const auto kept = co_await redis_.run(
        redis::eval(scripts::compare_and_expire, redis::keys(grant.name), redis::args(grant.token, lease_)));
    if (!kept) co_return kept.error();
    if (!kept->is_integer(1)) co_return std::nullopt;
    grant.deadline = asked + lease_;
    co_return grant;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto deleted = co_await redis_.run(
        redis::eval(scripts::compare_and_delete, redis::keys(grant.name), redis::args(grant.token)));
    if (!deleted) co_return deleted.error();
    co_return deleted->is_integer(1) ? ReleaseResult::yes : ReleaseResult::not_ours;
  }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }
  [[nodiscard]] State state() const override { return {std::int64_t{lease_.count()}}; }

 private:
  Store& redis_;
  Clock& clock_;
  Random& random_;
  const Duration retry_;
  milliseconds lease_ = default_lease;  // of the grant that it renews
};

}  // namespace

std::unique_ptr<Lock> make_guard_thread_repaired(Ports ports, const Parameters& parameters) {
  return std::make_unique<GuardThreadRepaired>(ports, parameters.at("retry"));
}

}  // namespace lockproof
