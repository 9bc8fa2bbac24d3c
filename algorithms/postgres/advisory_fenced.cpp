// SPDX-License-Identifier: Apache-2.0
// postgres-advisory-fenced: an advisory lock of the session whose holder asks, from time to time, whether its
// connection still has it, and which draws a number from a row for the resource to check. Source: postgres-advisory,
// mended: PostgreSQL 15, 54.12 "pg_locks"; Kleppmann, "How to do distributed locking", 2016. Claims: what
// postgres-advisory claims; a loss is noticed at the next question; the number grows with every grant. Not claimed:
// that a holder stops in time: between the loss and the question another one enters. Broken by:
// scenarios/postgres/connection-lost-fenced.toml on a resource that does not check
#include "algorithms/catalogue.hpp"
#include "algorithms/postgres/requests.hpp"

namespace lockproof {
namespace {

class PostgresAdvisoryFenced final : public Lock {
 public:
  PostgresAdvisoryFenced(Ports ports, Duration retry, Duration ask)
      : database_(ports.servers.at(0)), retry_(retry), ask_(ask) {}

  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> /*lease*/) override {
    Grant grant(name, "session", {}, Renewal{ask_, ask_, Pace::fixed_delay, OnFailure::retry, true});

    const auto won = co_await database_.run(postgres::try_advisory(name));
    if (!won) co_return Failure(won.error(), grant);
    if (!*won) co_return Busy{};

    const auto number = co_await database_.run(postgres::next_fence(name));
    if (!number || !*number) co_return Failure(number ? Error::refused : number.error(), grant);
    grant.fence = *number;
    co_return grant;
  }

  Task<Result<std::optional<Grant>>> renew(Grant held) override {
    const auto holds = co_await database_.run(postgres::holds_advisory(held.name));
    if (!holds) co_return holds.error();
    if (!*holds) co_return std::nullopt;
    co_return held;
  }

  Task<Result<ReleaseResult>> release(Grant grant) override {
    const auto unlocked = co_await database_.run(postgres::unlock_advisory(grant.name));
    if (!unlocked) co_return unlocked.error();
    co_return *unlocked ? ReleaseResult::yes : ReleaseResult::not_ours;
  }

  [[nodiscard]] Retry retry() const override { return {retry_, retry_}; }

 private:
  Store& database_;
  const Duration retry_, ask_;
};

}  // namespace

std::unique_ptr<Lock> make_postgres_advisory_fenced(Ports ports, const Parameters& parameters) {
  return std::make_unique<PostgresAdvisoryFenced>(ports, parameters.at("retry"), parameters.at("ask"));
}

}  // namespace lockproof
