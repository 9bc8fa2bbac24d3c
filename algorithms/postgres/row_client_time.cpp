// SPDX-License-Identifier: Apache-2.0
// postgres-row-client-time: a row with an expiry that the client's own clock gives and compares; it is released by the
// name of the lock alone.
// Source: ShedLock before usingDbTime; its issues 132 (clocks that differ) and 3577 (two owners within 274 ms).
// Claims: frees itself. Not claimed: anything where the clients' clocks differ, or where a holder is late.
// Broken by: scenarios/postgres/client-time.toml
#include "algorithms/catalogue.hpp"
#include "algorithms/postgres/requests.hpp"

namespace lockproof {
namespace {

class PostgresRowClientTime final : public Lock {
 public:
  PostgresRowClientTime(Ports ports, Duration retry)
      : database_(ports.servers.at(0)), clock_(ports.clock), random_(ports.random), retry_(retry) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    const Wall now = clock_.wall();
    const Wall until = now + lease.value_or(default_lease);
    const Token token = random_.token();
    Grant grant(name, token, until);

    const auto number =
        co_await database_.run(postgres::take_row_client_time(name, token, Clock::write(now), Clock::write(until)));
    if (!number) co_return Failure(number.error(), grant);
    if (!*number) co_return Busy{};
    grant.fence = *number;
    co_return grant;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto number = co_await database_.run(postgres::give_row_client_time(grant.name, Clock::write(clock_.wall())));
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

std::unique_ptr<Lock> make_postgres_row_client_time(Ports ports, const Parameters& parameters) {
  return std::make_unique<PostgresRowClientTime>(ports, parameters.at("retry"));
}

}  // namespace lockproof
