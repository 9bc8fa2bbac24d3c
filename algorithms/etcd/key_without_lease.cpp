// SPDX-License-Identifier: Apache-2.0
// etcd-key-without-lease: a key that no lease ends: whose transaction makes it has the lock until it deletes the key,
// if it is still the one that it made.
// Source: etcd's documentation, "Interacting with etcd"; a holder's key that was left without its lease: vault #2526.
// Claims: never two entitled; nobody deletes another's key. Not claimed: that a holder which is gone frees it, or that
// a client whose answer was lost ever does.
// Broken by: scenarios/etcd/key-without-lease.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/etcd/requests.hpp"

namespace lockproof {
namespace {

class EtcdKeyWithoutLease final : public Lock {
 public:
  EtcdKeyWithoutLease(Ports ports, Duration retry) : etcd_(ports.servers.at(0)), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> /*lease*/) override {
    const auto put = co_await etcd_.run(etcd::put_if_absent(name, etcd::no_lease, name));
    if (!put) co_return Failure(put.error());
    if (!put->done) co_return Busy{};
    Grant grant(name, name);
    grant.fence = put->created;
    co_return grant;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto removed = co_await etcd_.run(etcd::remove_if_created(grant.name, *grant.fence));
    if (!removed) co_return removed.error();
    co_return *removed ? ReleaseResult::yes : ReleaseResult::not_ours;
  }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }

 private:
  Store& etcd_;
  const Duration retry_;
};

}  // namespace

std::unique_ptr<Lock> make_etcd_key_without_lease(Ports ports, const Parameters& parameters) {
  return std::make_unique<EtcdKeyWithoutLease>(ports, parameters.at("retry"));
}

}  // namespace lockproof
