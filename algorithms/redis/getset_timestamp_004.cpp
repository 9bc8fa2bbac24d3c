// SPDX-License-Identifier: Apache-2.0
// getset-timestamp-004: the GETSET lock as note 004 prints it: the clock is read again for the comparison, and since no
// value names the owner, the release is the note's plain DEL.
// Source: note 004, wrongGetLock2() and the first releaseLock().
// Claims: none; the note shows it as wrong. Three reasons it gives: clocks that differ, overwritten stamps, no owner.
// Broken by: scenarios/documented/clocks/getset-skew-004.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/redis/requests.hpp"

namespace lockproof {
namespace {

class GetsetTimestamp004 final : public Lock {
 public:
  GetsetTimestamp004(Ports ports, Duration retry) : redis_(ports.servers.at(0)), clock_(ports.clock), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const Wall expires = clock_.wall() + lease.value_or(default_lease);
    const Value stamp = Clock::write(expires);
    const Grant grant(name, stamp, expires);

    const auto won = co_await redis_.run(redis::setnx(name, stamp));
    if (!won) co_return Failure(won.error(), grant);
    if (*won) co_return grant;

    const auto current = co_await redis_.run(redis::get(name));
    if (!current) co_return current.error();
    if (!*current) co_return Busy{};
    const std::optional<Wall> theirs = Clock::read(**current);
    if (!theirs) co_return Error::refused;
    if (!(*theirs < clock_.wall())) co_return Busy{};  // here note 004 reads the clock once more

    const auto old = co_await redis_.run(redis::getset(name, stamp));
    if (!old) co_return Failure(old.error(), grant);
    if (*old == *current) co_return grant;
    co_return Busy{};
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto deleted = co_await redis_.run(redis::del(grant.name));
    if (!deleted) co_return deleted.error();
    co_return *deleted ? ReleaseResult::yes : ReleaseResult::not_ours;
  }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }

 private:
  Store& redis_;
  Clock& clock_;
  const Duration retry_;
};

}  // namespace

std::unique_ptr<Lock> make_getset_timestamp_004(Ports ports, const Parameters& parameters) {
  return std::make_unique<GetsetTimestamp004>(ports, parameters.at("retry"));
}

}  // namespace lockproof
