// SPDX-License-Identifier: Apache-2.0
// memcached-add: `add` takes the item and gives it a time to live; a plain `delete` releases it.
// Source: memcached's wiki, "Ghetto Central Locking"; note 001.
// Claims: frees itself. Not claimed: that the item stays for as long as it was asked for (the last second of a lease
// may be missing, without any fault), and that the delete removes one's own item.
// Broken by: scenarios/memcached/short-second.toml, scenarios/memcached/blind-delete.toml,
// scenarios/memcached/evicted.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/memcached/requests.hpp"

namespace lockproof {
namespace {

class MemcachedAdd final : public Lock {
 public:
  MemcachedAdd(Ports ports, Duration retry) : memcached_(ports.servers.at(0)), clock_(ports.clock), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const seconds ttl = std::chrono::floor<seconds>(lease.value_or(default_lease));
    const Grant grant(name, "1", clock_.mono() + ttl);  // as its users assume: up to a second too long

    const auto added = co_await memcached_.run(memcached::add(name, "1", ttl));
    if (!added) co_return Failure(added.error(), grant);
    if (!*added) co_return Busy{};
    co_return grant;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto deleted = co_await memcached_.run(memcached::remove(grant.name));
    if (!deleted) co_return deleted.error();
    co_return *deleted ? ReleaseResult::yes : ReleaseResult::not_ours;
  }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }

 private:
  Store& memcached_;
  Clock& clock_;
  const Duration retry_;
};

}  // namespace

std::unique_ptr<Lock> make_memcached_add(Ports ports, const Parameters& parameters) {
  return std::make_unique<MemcachedAdd>(ports, parameters.at("retry"));
}

}  // namespace lockproof
