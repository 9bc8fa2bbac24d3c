// SPDX-License-Identifier: Apache-2.0
// getset-timestamp: the key holds the instant at which its holder's lease ends, by the holder's own clock. A client
// that finds it in the past swaps in a new one with GETSET, and has won if no other client swapped in between.
// Source: note 000, scheme two, tryLock() and unlock(), line by line.
// Claims: as long as all clients' clocks agree, never two entitled, and no DEL of another's lock.
// Broken by: scenarios/documented/clocks/getset-skew.toml, scenarios/notes/local-expiry-check-del.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/redis/requests.hpp"

namespace lockproof {
namespace {

class GetsetTimestamp final : public Lock {
 public:
  GetsetTimestamp(Ports ports, Duration retry) : redis_(ports.servers.at(0)), clock_(ports.clock), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const Wall now = clock_.wall();
    const Wall expires = now + lease.value_or(default_lease);
    const Value stamp = Clock::write(expires);
    const Grant grant(name, stamp, expires);

    const auto won = co_await redis_.run(redis::setnx(name, stamp));
    if (!won) co_return Failure(won.error(), grant);
    if (*won) co_return grant;

    const auto current = co_await redis_.run(redis::get(name));
    if (!current) co_return current.error();
    if (!*current) co_return Busy{};  // gone in between: the note gives up this attempt
    const std::optional<Wall> theirs = Clock::read(**current);
    if (!theirs) co_return Error::refused;   // Long.parseLong would throw
    if (!(*theirs < now)) co_return Busy{};  // `now` was read before the SETNX

    const auto old = co_await redis_.run(redis::getset(name, stamp));
    if (!old) co_return Failure(old.error(), grant);
    if (*old == *current) co_return grant;  // compared as bytes
    co_return Busy{};
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const Wall now = clock_.wall();
    if (!(std::get<Wall>(grant.deadline) > now))
      co_return ReleaseResult::skipped;  // outlived: "no need to touch the lock"

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

std::unique_ptr<Lock> make_getset_timestamp(Ports ports, const Parameters& parameters) {
  return std::make_unique<GetsetTimestamp>(ports, parameters.at("retry"));
}

}  // namespace lockproof
