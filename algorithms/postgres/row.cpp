// SPDX-License-Identifier: Apache-2.0
// postgres-row: a row with an owner, an expiry by the database's clock, and a number that grows with every grant, for
// the resource to check. One statement takes it if it is free or its time is over.
// Source: ShedLock with usingDbTime; the number is Kleppmann's, "How to do distributed locking", 2016.
// Claims: released by its owner only; frees itself; never two entitled as long as the database's clock keeps time and
// it loses no commit. Not claimed: that a holder which runs on past its deadline is alone; what the number is for.
// Broken by: scenarios/postgres/row-outlived.toml, scenarios/postgres/failover-lost-commit.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/postgres/requests.hpp"

namespace lockproof {
namespace {

class PostgresRow final : public Lock {
 public:
  PostgresRow(Ports ports, Duration retry)
      : database_(ports.servers.at(0)), clock_(ports.clock), random_(ports.random), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const milliseconds time = lease.value_or(default_lease);
    const Token token = random_.token();
    Grant grant(name, token, clock_.mono() + time);

    const auto number = co_await database_.run(postgres::take_row(name, token, time));
    if (!number) co_return Failure(number.error(), grant);
    if (!*number) co_return Busy{};
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

std::unique_ptr<Lock> make_postgres_row(Ports ports, const Parameters& parameters) {
  return std::make_unique<PostgresRow>(ports, parameters.at("retry"));
}

}  // namespace lockproof
