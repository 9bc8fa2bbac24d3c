// SPDX-License-Identifier: Apache-2.0
// token-pubsub, token-pubsub-repaired: set-px-token whose release notifies the waiters, by a message on a channel.
// Source: miintto/redis-lock-py issue 3; coleifer/walrus issue 110. A waiter subscribes and waits for the message, and
// for nothing else: it misses a release that came before its subscription, and a lease that ends sends no message. The
// repaired one tries again once it has subscribed, and waits no longer than a lease.
// Claims: as set-px-token. Not claimed: that a waiter gets a free lock before its acquire_timeout is over.
// Broken by: scenarios/documented/notifications/missed-unlock-message.toml,
// scenarios/documented/notifications/expiry-is-silent.toml; the repaired one waits out a lease in
// scenarios/documented/notifications/lost-subscription.toml
#include <algorithm>

#include "algorithms/catalogue.hpp"
#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"

namespace lockproof {
namespace {

class TokenPubSub final : public Lock {
 public:
  TokenPubSub(Ports ports, bool repaired)
      : redis_(ports.servers.at(0)), clock_(ports.clock), random_(ports.random), repaired_(repaired) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    lease_ = lease.value_or(default_lease);
    const Token token = random_.token();
    const Grant grant(name, token, clock_.mono() + lease_);

    const auto won = co_await redis_.run(redis::set_nx_px(name, token, lease_));
    if (!won) co_return Failure(won.error(), grant);
    if (!*won) co_return Busy{};
    co_return grant;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto deleted = co_await redis_.run(redis::eval(
        scripts::compare_and_delete_publish, redis::keys(grant.name, channel(grant.name)), redis::args(grant.token)));
    if (!deleted) co_return deleted.error();
    co_return deleted->is_integer(1) ? ReleaseResult::yes : ReleaseResult::not_ours;
  }

  Task<bool> wait(Name name, Busy, Mono until) override {
    if (!subscribed_) {
      const auto done = co_await redis_.subscribe(channel(name));
      subscribed_ = done.ok();
      if (repaired_) co_return true;  // a release meanwhile has sent no message here
    }
    if (repaired_) until = std::min(until, clock_.mono() + lease_);
    const bool told = co_await redis_.message(channel(name), until);
    (void)told;  // with or without a message, the lock is tried again
    co_return true;
  }

  [[nodiscard]] Retry retry() const override { return {Duration(0), Duration(0)}; }
  [[nodiscard]] State state() const override { return {subscribed_, std::int64_t{lease_.count()}}; }

 private:
  static Name channel(const Name& name) { return Name("released:" + name.bytes()); }

  Store& redis_;
  Clock& clock_;
  Random& random_;
  const bool repaired_;
  bool subscribed_ = false;
  milliseconds lease_{};
};

}  // namespace

std::unique_ptr<Lock> make_token_pubsub(Ports ports, const Parameters&) {
  return std::make_unique<TokenPubSub>(ports, false);
}
std::unique_ptr<Lock> make_token_pubsub_repaired(Ports ports, const Parameters&) {
  return std::make_unique<TokenPubSub>(ports, true);
}

}  // namespace lockproof
