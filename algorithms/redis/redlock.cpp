// SPDX-License-Identifier: Apache-2.0
// redlock: a majority of independent servers, each locked as set-px-token locks one.
// Source: redis.io, "Distributed Locks with Redis", The Redlock Algorithm, steps 1 to 5. The servers are asked at once;
// the page asks them one after the other and advises to do it in parallel.
// Claims: never two entitled as long as clocks run within 1 % of each other and no server forgets; frees itself; works
// while a majority is up. Not claimed: that a holder which runs on past its deadline is alone.
// Broken by: scenarios/documented/redlock/redlock-pause-after-grant.toml,
// scenarios/documented/redlock/redlock-node-clock-jump.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"

namespace lockproof {
namespace {

class Redlock final : public Lock {
 public:
  Redlock(Ports ports, const Parameters& p)
      : servers_(ports.servers), clock_(ports.clock), random_(ports.random), node_timeout_(p.at("node_timeout")),
        retry_most_(p.at("retry")) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const milliseconds ttl = lease.value_or(default_lease);
    const Duration drift = Duration(ttl) / 100 + milliseconds(2);
    const Token token = random_.token();

    const Mono start = clock_.mono();                                                                      // 1
    const auto answers = co_await servers_.everywhere(redis::set_nx_px(name, token, ttl), node_timeout_);  // 2
    std::size_t locked = 0, refused = 0;
    for (const auto& answer : answers) {
      locked += answer && *answer;
      refused += answer && !*answer;
    }
    const Mono valid_until = start + ttl - drift;  // 4
    const Mono now = clock_.mono();
    if (locked >= quorum() && now < valid_until) co_return Grant(name, token, valid_until);  // 3

    const std::size_t undone = co_await unlock(name, token);  // 5
    (void)undone;                                             // keys that could not be deleted expire
    if (locked + refused < quorum()) co_return Error::no_reply;
    co_return Busy{};
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const std::size_t unlocked = co_await unlock(grant.name, grant.token);
    co_return unlocked >= quorum() ? ReleaseResult::yes : ReleaseResult::not_ours;
  }

  [[nodiscard]] Retry retry() const override { return {Duration(0), retry_most_}; }

 private:
  /// Unlocks every server, also one where nothing seemed to be locked: the reply may have been lost.
  Task<std::size_t> unlock(Name name, Token token) {
    const auto answers = co_await servers_.everywhere(
        redis::eval(scripts::compare_and_delete, redis::keys(name), redis::args(token)), node_timeout_);
    std::size_t unlocked = 0;
    for (const auto& answer : answers) unlocked += answer && answer->is_integer(1);
    co_return unlocked;
  }
  [[nodiscard]] std::size_t quorum() const { return servers_.size() / 2 + 1; }

  Stores& servers_;
  Clock& clock_;
  Random& random_;
  const Duration node_timeout_, retry_most_;
};

}  // namespace

std::unique_ptr<Lock> make_redlock(Ports ports, const Parameters& parameters) {
  return std::make_unique<Redlock>(ports, parameters);
}

}  // namespace lockproof
