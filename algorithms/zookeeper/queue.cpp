// SPDX-License-Identifier: Apache-2.0
// zookeeper-queue, -trusts-event, -syncs: everybody makes an ephemeral node with a number under the lock's. Whose
// number is the lowest has the lock; whoever waits watches the node in front of its own and looks again when that is
// gone. A node's name has the session's number in it, so it is found when the answer to its making was lost. Its own
// number is the fencing number. -trusts-event does not look again: the message about the node in front is taken for the
// lock. -syncs asks the leader of an ensemble before it believes what its own server says.
// Source: zookeeper.apache.org, Recipes, "Locks", and its recipes-lock; Curator's InterProcessMutex; note 001.
// Claims: served in order; never two entitled; a holder that is gone frees it when its session ends. Not claimed: that
// a holder which outlives its session is alone; of -trusts-event: anything if one that waits is gone; of all but
// -syncs: anything where a server of an ensemble lags.
// Broken by: scenarios/zookeeper/session-outlived.toml; trusts-event.toml, ensemble/stale-server.toml beside it
#include "algorithms/zookeeper/queue.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/zookeeper/client_session.hpp"

namespace lockproof {
namespace {

class ZooKeeperQueue final : public Lock {
 public:
  enum class Variant : std::uint8_t { plain, trusts_event, syncs };

  ZooKeeperQueue(Ports ports, Duration retry, Variant variant)
      : zookeeper_(ports.servers.at(0)), session_(zookeeper_, ports.clock, variant == Variant::syncs), retry_(retry),
        trusts_event_(variant == Variant::trusts_event) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    if (trusts_event_ && told_) co_return granted(name, *node_);
    const auto opened = co_await session_.open(lease.value_or(default_lease));
    if (!opened) co_return Failure(opened.error());
    if (*opened) node_.reset(), made_ = false;  // the old one's node ends with it
    if (!made_) {
      made_ = true;  // perhaps even if no answer comes
      const auto made = co_await zookeeper_.run(zookeeper::create_numbered(session_.id(), prefix(name)));
      if (!made) co_return Failure(session_.failed(made.error()));
    }

    const auto names = co_await session_.nodes_of(name);
    if (!names) co_return Failure(names.error());
    const zookeeper::Queue queue(name, *names);
    node_ = queue.first_of(prefix(name));
    before_ = node_ ? queue.before(*node_) : std::nullopt;
    made_ = node_.has_value();
    if (!made_ || before_) co_return Busy{};
    co_return granted(name, *node_);
  }

  Task<bool> wait(Name, Busy, Mono until) override {
    if (!before_) co_return false;
    const auto told = co_await session_.wait_for_end(*before_, until);
    told_ = told && *told;
    co_return told.ok();
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    told_ = false;
    const auto released = co_await session_.release(grant.token);
    if (released) made_ = false;
    co_return released;
  }
  Task<Result<std::optional<Grant>>> renew(Grant held) override { return session_.renew(std::move(held)); }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }
  [[nodiscard]] State state() const override {
    State all = session_.state();
    all.insert(all.end(), {made_, told_, node_.value_or(Name("")), before_.value_or(Name(""))});
    return all;
  }

 private:
  [[nodiscard]] Name prefix(const Name& lock) const {
    return Name(lock.bytes() + "/" + std::to_string(session_.id()) + "-");
  }
  [[nodiscard]] Grant granted(const Name& lock, const Name& node) const {
    Grant grant = session_.grant(lock, node);
    grant.fence = zookeeper::number_of(node);
    return grant;
  }

  Store& zookeeper_;
  zookeeper::ClientSession session_;
  const Duration retry_;
  const bool trusts_event_;
  bool made_ = false, told_ = false;
  std::optional<Name> node_, before_;  // its own, and the one in front of it
};

}  // namespace

std::unique_ptr<Lock> make_zookeeper_queue(Ports ports, const Parameters& parameters) {
  return std::make_unique<ZooKeeperQueue>(ports, parameters.at("retry"), ZooKeeperQueue::Variant::plain);
}
std::unique_ptr<Lock> make_zookeeper_queue_trusts_event(Ports ports, const Parameters& parameters) {
  return std::make_unique<ZooKeeperQueue>(ports, parameters.at("retry"), ZooKeeperQueue::Variant::trusts_event);
}
std::unique_ptr<Lock> make_zookeeper_queue_syncs(Ports ports, const Parameters& parameters) {
  return std::make_unique<ZooKeeperQueue>(ports, parameters.at("retry"), ZooKeeperQueue::Variant::syncs);
}

}  // namespace lockproof
