// SPDX-License-Identifier: Apache-2.0
// memcached-add-cas: `add` takes the item with a fresh token; `gets` and `cas` let it expire at once if it is still its
// own. The deadline leaves out the second by which the server may shorten the lease.
// Source: memcached's wiki, "Ghetto Central Locking", mended: memcached has no delete that compares, but protocol.txt
// says that an item with a negative expiration time has expired already.
// Claims: released by its owner only; frees itself; never two entitled as long as the clocks keep time and the server
// keeps its items. Not claimed: that a holder which runs on past its deadline is alone.
// Broken by: scenarios/memcached/evicted.toml, scenarios/memcached/restart-forgets.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/memcached/requests.hpp"

namespace lockproof {
namespace {

constexpr seconds cut_off(1);  // the most by which the server, which counts ticks, shortens a time to live

class MemcachedAddCas final : public Lock {
 public:
  MemcachedAddCas(Ports ports, Duration retry)
      : memcached_(ports.servers.at(0)), clock_(ports.clock), random_(ports.random), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const seconds ttl = std::chrono::floor<seconds>(lease.value_or(default_lease));
    const Token token = random_.token();
    const Grant grant(name, token, clock_.mono() + (ttl - cut_off));  // counted from before the request leaves

    const auto added = co_await memcached_.run(memcached::add(name, token, ttl));
    if (!added) co_return Failure(added.error(), grant);
    if (!*added) co_return Busy{};
    co_return grant;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto item = co_await memcached_.run(memcached::gets(grant.name));
    if (!item) co_return item.error();
    if (!*item || (*item)->value != grant.token) co_return ReleaseResult::not_ours;

    const Value unique = (*item)->unique;
    const auto expired = co_await memcached_.run(memcached::cas(grant.name, "", seconds(-1), unique));
    if (!expired) co_return expired.error();
    co_return *expired ? ReleaseResult::yes : ReleaseResult::not_ours;
  }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }

 private:
  Store& memcached_;
  Clock& clock_;
  Random& random_;
  const Duration retry_;
};

}  // namespace

std::unique_ptr<Lock> make_memcached_add_cas(Ports ports, const Parameters& parameters) {
  return std::make_unique<MemcachedAddCas>(ports, parameters.at("retry"));
}

}  // namespace lockproof
