// SPDX-License-Identifier: Apache-2.0
// postgres-advisory: an advisory lock of the session. It has no expiry; it is free when it is unlocked, or when the
// server notices that the connection it was taken over has ended. The holder does not look whether it still has it.
// Source: PostgreSQL 15, 13.3.5 "Advisory Locks"; with_advisory_lock and electric use it so.
// Claims: never two as long as no connection is lost; a holder that is gone frees it when its connection ends.
// Not claimed: that a holder which goes on over another connection still has it, or can free it.
// Broken by: scenarios/postgres/connection-lost.toml, scenarios/postgres/pooled-release.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/postgres/requests.hpp"

namespace lockproof {
namespace {

class PostgresAdvisory final : public Lock {
 public:
  PostgresAdvisory(Ports ports, Duration retry) : database_(ports.servers.at(0)), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> /*lease*/) override {
    const Grant grant(name, "session");

    const auto won = co_await database_.run(postgres::try_advisory(name));
    if (!won) co_return Failure(won.error(), grant);
    if (!*won) co_return Busy{};
    co_return grant;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto unlocked = co_await database_.run(postgres::unlock_advisory(grant.name));
    if (!unlocked) co_return unlocked.error();
    co_return *unlocked ? ReleaseResult::yes : ReleaseResult::not_ours;
  }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }

 private:
  Store& database_;
  const Duration retry_;
};

}  // namespace

std::unique_ptr<Lock> make_postgres_advisory(Ports ports, const Parameters& parameters) {
  return std::make_unique<PostgresAdvisory>(ports, parameters.at("retry"));
}

}  // namespace lockproof
