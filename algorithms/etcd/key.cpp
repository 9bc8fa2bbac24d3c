// SPDX-License-Identifier: Apache-2.0
// etcd-key: one key with a lease: whose transaction makes it has the lock, and all others watch it and try again when
// it is gone. A release revokes the lease, and its key goes with it. The revision at which the key was created is the
// fencing number.
// Source: etcd's documentation, "Interacting with etcd", transactions and leases.
// Claims: never two entitled; a holder that is gone frees it when its lease ends. Not claimed: any order, or that a
// release costs less than one attempt of everybody who waits; that a holder which outlives its lease is alone.
// Broken by: scenarios/etcd/key-outlived.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/etcd/client_lease.hpp"

namespace lockproof {
namespace {

class EtcdKey final : public Lock {
 public:
  EtcdKey(Ports ports, Duration retry) : etcd_(ports.servers.at(0)), lease_(etcd_, ports.clock), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> wanted) override {
    const auto opened = co_await lease_.open(wanted.value_or(default_lease));
    if (!opened) co_return Failure(opened.error());

    const auto put = co_await etcd_.run(etcd::put_if_absent(name, lease_.id(), name));
    if (!put) co_return Failure(lease_.failed(put.error()));
    seen_ = put->now;
    if (!put->done) co_return Busy{};
    co_return lease_.grant_of(name, name, put->created);
  }

  Task<bool> wait(Name name, Busy, Mono until) override {
    const bool waited = co_await lease_.wait_for_deletion(name, seen_, until);
    co_return waited;
  }

  Task<Result<ReleaseResult>> release(Grant) override {
    const auto revoked = co_await etcd_.run(etcd::revoke(lease_.id()));
    if (!revoked && lease_.failed(revoked.error()) == Error::refused) co_return ReleaseResult::not_ours;
    if (!revoked) co_return revoked.error();
    lease_.forget();
    co_return ReleaseResult::yes;
  }
  Task<Result<std::optional<Grant>>> renew(Grant held) override { return lease_.renew(std::move(held)); }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }
  [[nodiscard]] State state() const override {
    State all = lease_.state();
    all.emplace_back(seen_);
    return all;
  }

 private:
  Store& etcd_;
  etcd::ClientLease lease_;
  const Duration retry_;
  etcd::Revision seen_ = 0;  // the revision at which another one's key was there
};

}  // namespace

std::unique_ptr<Lock> make_etcd_key(Ports ports, const Parameters& parameters) {
  return std::make_unique<EtcdKey>(ports, parameters.at("retry"));
}

}  // namespace lockproof
