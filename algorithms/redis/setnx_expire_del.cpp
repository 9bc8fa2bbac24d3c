// SPDX-License-Identifier: Apache-2.0
// setnx-expire-del: take the key, then give it a time to live.
// Source: notes 000 and 001, scheme one, step 3; the release is the notes' plain DEL.
// Claims: never given to two while the key lives; the holder does not learn how long that is. Not claimed: that the
// lock expires after a crash between the two commands, nor that the DEL removes one's own key.
// Broken by: scenarios/notes/setnx-expire-crash.toml, scenarios/notes/blind-release.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/redis/requests.hpp"

namespace lockproof {
namespace {

class SetnxExpireDel final : public Lock {
 public:
  SetnxExpireDel(Ports ports, Duration retry) : redis_(ports.servers.at(0)), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const seconds ttl = std::chrono::floor<seconds>(lease.value_or(default_lease));

    const Grant grant(name, "1");
    const auto won = co_await redis_.run(redis::setnx(name, "1"));
    if (!won) co_return Failure(won.error(), grant);
    if (!*won) co_return Busy{};

    const auto timed = co_await redis_.run(redis::expire(name, ttl));
    if (!timed) co_return Failure(timed.error(), grant);
    co_return grant;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto deleted = co_await redis_.run(redis::del(grant.name));
    if (!deleted) co_return deleted.error();
    co_return *deleted ? ReleaseResult::yes : ReleaseResult::not_ours;
  }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }

 private:
  Store& redis_;
  const Duration retry_;
};

}  // namespace

std::unique_ptr<Lock> make_setnx_expire_del(Ports ports, const Parameters& parameters) {
  return std::make_unique<SetnxExpireDel>(ports, parameters.at("retry"));
}

}  // namespace lockproof
