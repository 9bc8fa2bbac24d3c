// SPDX-License-Identifier: Apache-2.0
// postgres-advisory-xact: an advisory lock of a transaction, which stays open for as long as the lock is held and whose
// end frees it.
// Source: PostgreSQL 15, 13.3.5 "Advisory Locks"; what pgbouncer issue 102 recommends behind a pool.
// Claims: as postgres-advisory; nothing but the end of its transaction, or of its connection, frees it.
// Not claimed: that a holder whose connection has ended notices before it commits.
// Broken by: scenarios/postgres/connection-lost-xact.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/postgres/requests.hpp"

namespace lockproof {
namespace {

class PostgresAdvisoryXact final : public Lock {
 public:
  PostgresAdvisoryXact(Ports ports, Duration retry) : database_(ports.servers.at(0)), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> /*lease*/) override {
    const Grant grant(name, "transaction");

    const auto begun = co_await database_.run(postgres::begin());
    if (!begun) co_return Failure(begun.error(), grant);
    const auto won = co_await database_.run(postgres::try_advisory_xact(name));
    if (!won) co_return Failure(won.error(), grant);
    if (*won) co_return grant;

    const auto ended = co_await database_.run(postgres::rollback());
    if (!ended) co_return Failure(ended.error(), grant);
    co_return Busy{};
  }

  Task<Result<ReleaseResult>> release(Grant /*grant*/) override {
    const auto ended = co_await database_.run(postgres::commit());
    if (!ended) co_return ended.error();
    co_return *ended == Value("COMMIT") ? ReleaseResult::yes : ReleaseResult::not_ours;
  }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }

 private:
  Store& database_;
  const Duration retry_;
};

}  // namespace

std::unique_ptr<Lock> make_postgres_advisory_xact(Ports ports, const Parameters& parameters) {
  return std::make_unique<PostgresAdvisoryXact>(ports, parameters.at("retry"));
}

}  // namespace lockproof
