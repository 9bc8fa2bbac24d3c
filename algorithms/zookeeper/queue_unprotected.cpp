// SPDX-License-Identifier: Apache-2.0
// zookeeper-queue-unprotected: the recipe as note 001 tells it: a client knows its node from the answer to its making.
// If that answer is lost it makes another node, and waits behind its own first one, which it keeps alive by waiting.
// Source: note 001; zookeeper.apache.org, Recipes, "Locks", without its note on recoverable errors; CURATOR-45.
// Claims: never two entitled; served in order as long as no answer is lost. Not claimed: that anyone gets it after
// that.
// Broken by: scenarios/zookeeper/create-lost.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/zookeeper/client_session.hpp"
#include "algorithms/zookeeper/queue.hpp"

namespace lockproof {
namespace {

class ZooKeeperQueueUnprotected final : public Lock {
 public:
  ZooKeeperQueueUnprotected(Ports ports, Duration retry)
      : zookeeper_(ports.servers.at(0)), clock_(ports.clock), session_(zookeeper_, clock_), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const auto opened = co_await session_.open(lease.value_or(default_lease));
    if (!opened) co_return Failure(opened.error());
    if (*opened) node_.reset();

    if (!node_) {
      const auto made = co_await zookeeper_.run(zookeeper::create_numbered(session_.id(), Name(name.bytes() + "/n-")));
      if (!made) co_return Failure(session_.failed(made.error()));
      node_ = *made;
    }

    const Mono asked = clock_.mono();
    const auto names = co_await zookeeper_.run(zookeeper::children(session_.id(), name));
    if (!names) co_return Failure(session_.failed(names.error()));
    session_.heard(asked);

    const zookeeper::Queue queue(name, *names);
    node_ = queue.first_of(*node_);
    before_ = node_ ? queue.before(*node_) : std::nullopt;
    if (!node_ || before_) co_return Busy{};
    Grant grant = session_.grant(name, *node_);
    grant.fence = zookeeper::number_of(*node_);
    co_return grant;
  }

  Task<bool> wait(Name, Busy, Mono until) override {
    if (!before_) co_return false;
    const auto told = co_await session_.wait_for_end(*before_, until);
    co_return told.ok();
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    node_.reset();
    return session_.release(grant.token);
  }
  Task<Result<std::optional<Grant>>> renew(Grant held) override { return session_.renew(std::move(held)); }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }
  [[nodiscard]] State state() const override {
    State all = session_.state();
    all.insert(all.end(), {node_.value_or(Name("")), before_.value_or(Name(""))});
    return all;
  }

 private:
  Store& zookeeper_;
  Clock& clock_;
  zookeeper::ClientSession session_;
  const Duration retry_;
  std::optional<Name> node_, before_;
};

}  // namespace

std::unique_ptr<Lock> make_zookeeper_queue_unprotected(Ports ports, const Parameters& parameters) {
  return std::make_unique<ZooKeeperQueueUnprotected>(ports, parameters.at("retry"));
}

}  // namespace lockproof
