// SPDX-License-Identifier: Apache-2.0
// redlock-no-drift-term, redlock-unlock-by-name: Redlock as note 003 words it. It subtracts the time that acquiring
// took and nothing for clock drift; and taken literally it unlocks by name, "that is, delete lock_name", whether or not
// the server was locked, and so deletes the winner's keys. Source: note 003, tables "times" and "safety"; the remaining
// validity is counted from the start, as it says. Claims: never two entitled; by name, not even that holds after the
// first client that fails to get the lock. Broken by: scenarios/documented/redlock/redlock-no-drift-term.toml,
// scenarios/documented/redlock/redlock-fast-node.toml, scenarios/notes/redlock-unlock-by-name.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"

namespace lockproof {
namespace {

enum class Unlock : std::uint8_t { by_token, by_name };

class RedlockNote003 final : public Lock {
 public:
  RedlockNote003(Ports ports, const Parameters& p, Unlock unlock)
      : servers_(ports.servers), clock_(ports.clock), random_(ports.random), node_timeout_(p.at("node_timeout")),
        retry_most_(p.at("retry")), unlock_(unlock) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const milliseconds ttl = lease.value_or(default_lease);
    const Token token = random_.token();
    const Mono start = clock_.mono();
    const auto answers = co_await servers_.everywhere(redis::set_nx_px(name, token, ttl), node_timeout_);
    std::size_t locked = 0, refused = 0;
    for (const auto& answer : answers) {
      locked += answer && *answer;
      refused += answer && !*answer;
    }
    const Mono valid_until = start + ttl;
    const Mono now = clock_.mono();
    if (locked >= quorum() && now < valid_until) co_return Grant(name, token, valid_until);

    const std::size_t undone = co_await unlock(name, token);
    (void)undone;
    if (locked + refused < quorum()) co_return Error::no_reply;
    co_return Busy{};
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const std::size_t unlocked = co_await unlock(grant.name, grant.token);
    co_return unlocked >= quorum() ? ReleaseResult::yes : ReleaseResult::not_ours;
  }

  [[nodiscard]] Retry retry() const override { return {Duration(0), retry_most_}; }

 private:
  Task<std::size_t> unlock(Name name, Token token) {
    std::size_t unlocked = 0;
    if (unlock_ == Unlock::by_name) {
      const auto answers = co_await servers_.everywhere(redis::del(name), node_timeout_);
      for (const auto& answer : answers) unlocked += answer && *answer;
    } else {
      const auto answers = co_await servers_.everywhere(
          redis::eval(scripts::compare_and_delete, redis::keys(name), redis::args(token)), node_timeout_);
      for (const auto& answer : answers) unlocked += answer && answer->is_integer(1);
    }
    co_return unlocked;
  }
  [[nodiscard]] std::size_t quorum() const { return servers_.size() / 2 + 1; }

  Stores& servers_;
  Clock& clock_;
  Random& random_;
  const Duration node_timeout_, retry_most_;
  const Unlock unlock_;
};

}  // namespace

std::unique_ptr<Lock> make_redlock_no_drift_term(Ports ports, const Parameters& parameters) {
  return std::make_unique<RedlockNote003>(ports, parameters, Unlock::by_token);
}
std::unique_ptr<Lock> make_redlock_unlock_by_name(Ports ports, const Parameters& parameters) {
  return std::make_unique<RedlockNote003>(ports, parameters, Unlock::by_name);
}

}  // namespace lockproof
