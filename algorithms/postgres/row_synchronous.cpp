// SPDX-License-Identifier: Apache-2.0
// postgres-row-synchronous: postgres-row whose taking is a transaction that a standby has applied before it is
// answered. Source: postgres-row, mended by PostgreSQL 15, 20.5.1 "synchronous_commit", 27.2.8 "Synchronous
// Replication". Claims: what postgres-row claims, and that a failover to that standby loses neither the lock nor its
// number. Not claimed: that anyone gets the lock while there is no standby. Broken by:
// scenarios/postgres/failover-keeps-commit.toml (afterwards there is none)
#include "algorithms/catalogue.hpp"
#include "algorithms/postgres/requests.hpp"

namespace lockproof {
namespace {

class PostgresRowSynchronous final : public Lock {
 public:
  PostgresRowSynchronous(Ports ports, Duration retry)
      : database_(ports.servers.at(0)), clock_(ports.clock), random_(ports.random), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const milliseconds time = lease.value_or(default_lease);
    const Token token = random_.token();
    Grant grant(name, token, clock_.mono() + time);

    const auto begun = co_await database_.run(postgres::begin());
    if (!begun) co_return Failure(begun.error());
    const auto asked = co_await database_.run(postgres::remote_apply());
    if (!asked) co_return Failure(asked.error());
    const auto number = co_await database_.run(postgres::take_row(name, token, time));
    const bool taken = number && *number;

    const auto end = taken ? postgres::commit() : postgres::rollback();
    const auto ended = co_await database_.run(end);
    if (!ended) co_return Failure(ended.error(), grant);
    if (!number) co_return Failure(number.error());
    if (!taken) co_return Busy{};
    if (*ended != Value("COMMIT")) co_return Failure(Error::refused);
    grant.fence = *number;
    co_return grant;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto number = co_await database_.run(postgres::give_row(grant.name, grant.token));
    if (!number) co_return number.error();
    co_return *number ? ReleaseResult::yes : ReleaseResult::not_ours;
  }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }

 private:
  Store& database_;
  Clock& clock_;
  Random& random_;
  const Duration retry_;
};

}  // namespace

std::unique_ptr<Lock> make_postgres_row_synchronous(Ports ports, const Parameters& parameters) {
  return std::make_unique<PostgresRowSynchronous>(ports, parameters.at("retry"));
}

}  // namespace lockproof
