// SPDX-License-Identifier: Apache-2.0
// zookeeper-herd: one ephemeral node: whoever makes it has the lock, and all others watch it and try again when it is
// gone.
// Source: zookeeper.apache.org, Recipes, "Locks", on what its recipe avoids: the herd effect.
// Claims: never two entitled; a holder that is gone frees it when its session ends. Not claimed: any order, or that a
// release costs less than one attempt of everybody who waits; that a holder which outlives its session is alone; that a
// release which is sent twice takes no other's node.
// Broken by: scenarios/zookeeper/herd-own-node.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/zookeeper/client_session.hpp"

namespace lockproof {
namespace {

class ZooKeeperHerd final : public Lock {
 public:
  ZooKeeperHerd(Ports ports, Duration retry)
      : zookeeper_(ports.servers.at(0)), clock_(ports.clock), session_(zookeeper_, clock_), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const auto opened = co_await session_.open(lease.value_or(default_lease));
    if (!opened) co_return Failure(opened.error());

    const Name node(name.bytes() + "/holder");
    const Mono asked = clock_.mono();
    const auto made = co_await zookeeper_.run(zookeeper::create(session_.id(), node));
    if (!made) co_return Failure(session_.failed(made.error()));
    session_.heard(asked);
    if (!*made) co_return Busy{};
    co_return session_.grant(name, node);
  }

  Task<bool> wait(Name name, Busy, Mono until) override {
    const auto told = co_await session_.wait_for_end(Name(name.bytes() + "/holder"), until);
    co_return told.ok();
  }

  Task<Result<ReleaseResult>> release(Grant grant) override { return session_.release(grant.token); }
  Task<Result<std::optional<Grant>>> renew(Grant held) override { return session_.renew(std::move(held)); }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }
  [[nodiscard]] State state() const override { return session_.state(); }

 private:
  Store& zookeeper_;
  Clock& clock_;
  zookeeper::ClientSession session_;
  const Duration retry_;
};

}  // namespace

std::unique_ptr<Lock> make_zookeeper_herd(Ports ports, const Parameters& parameters) {
  return std::make_unique<ZooKeeperHerd>(ports, parameters.at("retry"));
}

}  // namespace lockproof
