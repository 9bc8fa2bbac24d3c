// SPDX-License-Identifier: Apache-2.0
// zookeeper-queue-adopts-old: zookeeper-queue with an id in its node's name that stays the same over all its sessions
// (here the number of the first one). A client that believes its session ended finds the old session's node with the
// new one, as long as the server has not ended the old one: it takes for its own what is about to be deleted.
// Source: Curator's protected create before 4.2.0, CURATOR-498; the same is reported in CURATOR-604.
// Claims: as zookeeper-queue as long as no session ends. Not claimed: anything afterwards.
// Broken by: scenarios/zookeeper/adopts-old.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/zookeeper/client_session.hpp"
#include "algorithms/zookeeper/queue.hpp"

namespace lockproof {
namespace {

class ZooKeeperQueueAdoptsOld final : public Lock {
 public:
  ZooKeeperQueueAdoptsOld(Ports ports, Duration retry)
      : zookeeper_(ports.servers.at(0)), clock_(ports.clock), session_(zookeeper_, clock_), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const auto opened = co_await session_.open(lease.value_or(default_lease));
    if (!opened) co_return Failure(opened.error());
    if (id_ == 0) id_ = session_.id();

    if (!made_) {
      made_ = true;
      const auto made = co_await zookeeper_.run(zookeeper::create_numbered(session_.id(), prefix(name)));
      if (!made) co_return Failure(session_.failed(made.error()));
    }

    const Mono asked = clock_.mono();
    const auto names = co_await zookeeper_.run(zookeeper::children(session_.id(), name));
    if (!names) co_return Failure(session_.failed(names.error()));
    session_.heard(asked);

    const zookeeper::Queue queue(name, *names);
    const auto node = queue.first_of(prefix(name));
    before_ = node ? queue.before(*node) : std::nullopt;
    made_ = node.has_value();
    if (!made_ || before_) co_return Busy{};
    Grant grant = session_.grant(name, *node);
    grant.fence = zookeeper::number_of(*node);
    co_return grant;
  }

  Task<bool> wait(Name, Busy, Mono until) override {
    if (!before_) co_return false;
    const auto told = co_await session_.wait_for_end(*before_, until);
    co_return told.ok();
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto released = co_await session_.release(grant.token);
    if (released) made_ = false;
    co_return released;
  }
  Task<Result<std::optional<Grant>>> renew(Grant held) override { return session_.renew(std::move(held)); }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }
  [[nodiscard]] State state() const override {
    State all = session_.state();
    all.insert(all.end(), {made_, id_, before_.value_or(Name(""))});
    return all;
  }

 private:
  [[nodiscard]] Name prefix(const Name& lock) const { return Name(lock.bytes() + "/" + std::to_string(id_) + "-"); }

  Store& zookeeper_;
  Clock& clock_;
  zookeeper::ClientSession session_;
  const Duration retry_;
  zookeeper::SessionId id_ = 0;  // of the client, for as long as it runs
  bool made_ = false;
  std::optional<Name> before_;
};

}  // namespace

std::unique_ptr<Lock> make_zookeeper_queue_adopts_old(Ports ports, const Parameters& parameters) {
  return std::make_unique<ZooKeeperQueueAdoptsOld>(ports, parameters.at("retry"));
}

}  // namespace lockproof
