// SPDX-License-Identifier: Apache-2.0
// guard-thread: set-px-token whose holder lets a guard thread extend the lease.
// Source: notes 000 and 001, "after 29 seconds the guard thread runs expire and gives the lock 20 seconds more … then
// every 20 seconds". EXPIRE replaces what was left and asks for no owner, so that is what it does here.
// Claims: kept as long as its holder lives. This is wrong: 20 s of lease renewed every 20 s leave no slack at all, and
// the renewal of a lost lock shortens or keeps alive another client's.
// Broken by: scenarios/notes/renew-zero-slack.toml, scenarios/notes/renew-without-owner-check.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"

namespace lockproof {
namespace {

class GuardThread final : public Lock {
 public:
  GuardThread(Ports ports, const Parameters& p)
      : redis_(ports.servers.at(0)), random_(ports.random), retry_(p.at("retry")), first_(p.at("first")),
        extend_(std::chrono::floor<seconds>(p.at("extend"))) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const Token token = random_.token();
    const Grant grant(name, token, {}, Renewal{first_, extend_, Pace::fixed_rate, OnFailure::retry, false});
    const auto won = co_await redis_.run(redis::set_nx_px(name, token, lease.value_or(default_lease)));
    if (!won) co_return Failure(won.error(), grant);
    if (!*won) co_return Busy{};
    co_return grant;
  }

  Task<Result<std::optional<Grant>>> renew(Grant grant) override {
    const auto kept = co_await redis_.run(redis::expire(grant.name, extend_));
    if (!kept) co_return kept.error();
    co_return grant;  // the note does not look at the answer
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
  Random& random_;
  const Duration retry_, first_;
  const seconds extend_;
};

}  // namespace

std::unique_ptr<Lock> make_guard_thread(Ports ports, const Parameters& parameters) {
  return std::make_unique<GuardThread>(ports, parameters);
}

}  // namespace lockproof
