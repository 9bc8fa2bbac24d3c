// SPDX-License-Identifier: Apache-2.0
// etcd-mutex, etcd-mutex-3-4-3: everybody puts a key of its own under the lock's, with its lease. Whose key was created
// first has the lock; whoever waits watches the key that was created last before its own, and looks again when that is
// gone. Then nobody is before it, and it looks whether its own key is still there, since its lease may have ended while
// it waited. -3.4.3 does not look at its own key. The revision at which that was created is the fencing number.
// Source: etcd, clientv3/concurrency, mutex.go and key.go; Jepsen, etcd 3.4.3, and etcd #11456 for what was missing.
// Claims: served in order; never two entitled; a holder that is gone frees it when its lease ends. Not claimed: that a
// holder which outlives its lease is alone; of -3.4.3 also: that who is given the lock has its lease.
// Broken by: scenarios/etcd/mutex-outlived.toml; scenarios/etcd/wait-outlives-lease.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/etcd/client_lease.hpp"

namespace lockproof {
namespace {

class EtcdMutex final : public Lock {
 public:
  EtcdMutex(Ports ports, Duration retry, bool looks_at_own_key)
      : etcd_(ports.servers.at(0)), lease_(etcd_, ports.clock), retry_(retry), looks_at_own_key_(looks_at_own_key) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> wanted) override {
    if (created_) {
      const auto kept = co_await lease_.keep_alive();  // the session's part, which no answer of the mutex waits for
      if (!kept) co_return Failure(kept.error());
    } else {
      const auto opened = co_await lease_.open(wanted.value_or(default_lease));
      if (!opened) co_return Failure(opened.error());
      const auto put = co_await etcd_.run(etcd::put_if_absent(key(name), lease_.id(), prefix(name)));
      if (!put) co_return Failure(lease_.failed(put.error()));
      created_ = put->created;
      if (put->first == put->created) co_return granted(name);
    }

    const auto before = co_await etcd_.run(etcd::last_before(prefix(name), *created_));
    if (!before) co_return Failure(before.error());
    before_ = before->has_value() ? std::optional((*before)->key) : std::nullopt;
    seen_ = before_ ? (*before)->now : 0;
    if (before_) co_return Busy{};

    if (looks_at_own_key_) {
      const auto own = co_await etcd_.run(etcd::get(key(name)));
      if (!own) co_return Failure(own.error());
      if (!*own) {
        created_.reset();
        co_return Failure(lease_.failed(Error::refused));
      }
    }
    co_return granted(name);
  }

  Task<bool> wait(Name, Busy, Mono until) override {
    if (!before_) co_return false;
    const bool waited = co_await lease_.wait_for_deletion(*before_, seen_, until);
    co_return waited;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    created_.reset();
    const auto removed = co_await etcd_.run(etcd::remove(grant.token));
    if (!removed) co_return removed.error();
    co_return *removed ? ReleaseResult::yes : ReleaseResult::not_ours;
  }
  Task<Result<std::optional<Grant>>> renew(Grant held) override { return lease_.renew(std::move(held)); }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }
  [[nodiscard]] State state() const override {
    State all = lease_.state();
    all.insert(all.end(), {created_.value_or(0), before_.value_or(Name("")), seen_});
    return all;
  }

 private:
  [[nodiscard]] static Name prefix(const Name& lock) { return Name(lock.bytes() + "/"); }
  [[nodiscard]] Name key(const Name& lock) const { return Name(lock.bytes() + "/" + std::to_string(lease_.id())); }
  [[nodiscard]] Grant granted(const Name& lock) const { return lease_.grant_of(lock, key(lock), *created_); }

  Store& etcd_;
  etcd::ClientLease lease_;
  const Duration retry_;
  const bool looks_at_own_key_;
  std::optional<etcd::Revision> created_;  // of its own key; nothing: it is not in the queue
  std::optional<Name> before_;             // the key that was created last before it
  etcd::Revision seen_ = 0;                // the revision at which that was there
};

}  // namespace

std::unique_ptr<Lock> make_etcd_mutex(Ports ports, const Parameters& parameters) {
  return std::make_unique<EtcdMutex>(ports, parameters.at("retry"), true);
}
std::unique_ptr<Lock> make_etcd_mutex_3_4_3(Ports ports, const Parameters& parameters) {
  return std::make_unique<EtcdMutex>(ports, parameters.at("retry"), false);
}

}  // namespace lockproof
