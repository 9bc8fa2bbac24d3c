// SPDX-License-Identifier: Apache-2.0
// Every schedule of locks on PostgreSQL: both engines find the same, whatever becomes of connections.
#include <string>

#include "search/core/contention.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/search/same_search.hpp"

namespace lockproof::sim::postgres_search_test {
namespace {

using harness::Bounds;
using harness::Contention;

const ViolationKind double_grant{"mutual-exclusion", "double-grant"};

harness::Scenario scenario(const std::string& lock, const std::string& more = "", int attempts = 1) {
  return tests::scenario("[workload]\nlease = \"2s\"\nwork = [\"hold 300ms\"]\n[explore]\nattempts = " +
                             std::to_string(attempts) + "\n" + more,
                         lock);
}

Bounds bounds_of(const harness::Scenario& scenario, Contention contention) {
  Bounds bounds = scenario.explore.value_or(Bounds{});
  bounds.contention = contention;
  return bounds;
}

Exploration searched(const harness::Scenario& scenario) {
  const Bounds bounds = bounds_of(scenario, Contention::adversarial);
  return explore_stateful(bounded(scenario, bounds, false), bounds, {.exchange = true});
}

TEST(PostgresSearch, HoldsWithoutFaults) {
  for (const char* const lock :
       {"postgres-advisory", "postgres-advisory-fenced", "postgres-advisory-xact", "postgres-row"}) {
    const Exploration found = searched(scenario(lock));
    EXPECT_TRUE(found.complete) << lock;
    EXPECT_FALSE(found.broken.contains(double_grant)) << lock;
  }
}

TEST(PostgresSearch, AnAdvisoryLockIsLostWithItsConnectionAndARowIsNot) {
  const std::string lost = "[[explore.fault]]\nkind = \"break-connection\"\n";
  EXPECT_TRUE(searched(scenario("postgres-advisory", lost, 3)).broken.contains(double_grant));
  EXPECT_TRUE(searched(scenario("postgres-advisory-xact", lost, 3)).broken.contains(double_grant));
  EXPECT_FALSE(searched(scenario("postgres-row", lost, 3)).broken.contains(double_grant));
}

TEST(PostgresSearch, APausedHolderKeepsAnAdvisoryLock) {
  const std::string paused = "[[explore.fault]]\nkind = \"pause\"\ntarget = \"clients\"\nfor = [\"3s\"]\n";
  EXPECT_FALSE(searched(scenario("postgres-advisory", paused, 3)).broken.contains(double_grant));
}

struct Engines {
  const char* name;
  const char* fault;
};
class PostgresEngines : public testing::TestWithParam<Engines> {};

TEST_P(PostgresEngines, FindTheSame) {
  for (const char* const lock : {"postgres-advisory", "postgres-advisory-fenced", "postgres-advisory-xact",
                                 "postgres-row", "postgres-row-client-time"}) {
    const bool one_statement =
        std::string_view(lock) == "postgres-advisory" || std::string_view(lock) == "postgres-row";
    for (const Contention contention : {Contention::as_written, Contention::adversarial}) {
      const bool quick = one_statement && std::string_view(GetParam().name) != "half_open";
      if (contention == Contention::adversarial && !quick) continue;  // the slower engine takes minutes
      SCOPED_TRACE(lock);
      const harness::Scenario tried = scenario(lock, GetParam().fault);
      const Bounds bounds = bounds_of(tried, contention);
      const harness::Scenario within = bounded(tried, bounds, false);
      tests::expect_same_search(explore_by_reexecution(within, bounds, {}), explore_stateful(within, bounds, {}));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Faults, PostgresEngines,
    testing::Values(Engines{"none", ""}, Engines{"restart", "[[explore.fault]]\nkind = \"restart\"\nfor = \"300ms\"\n"},
                    Engines{"pause", "[[explore.fault]]\nkind = \"pause\"\ntarget = \"servers\"\nfor = [\"1s\"]\n"},
                    Engines{"crash", "[[explore.fault]]\nkind = \"crash\"\n"},
                    Engines{"half_open", "[[explore.fault]]\nkind = \"half-open\"\n"},
                    Engines{"break_connection", "[[explore.fault]]\nkind = \"break-connection\"\n"},
                    Engines{"pool_switch", "[[explore.fault]]\nkind = \"pool-switch\"\n"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(PostgresSearch, APoolerSwitchesBetweenTransactionsOnly) {
  const std::string pool = "[[explore.fault]]\nkind = \"pool-switch\"\n";
  const ViolationKind orphaned{"deadlock-freedom", "orphaned"};
  EXPECT_TRUE(searched(scenario("postgres-advisory", pool, 3)).broken.contains(orphaned));
  const Exploration repaired = searched(scenario("postgres-advisory-xact", pool, 3));
  EXPECT_TRUE(repaired.complete);
  EXPECT_TRUE(repaired.broken.empty()) << repaired.broken.begin()->first.first;
}

// What a client says as it closes a connection takes its time also where the server has closed its own end already;
// once the client knows of that, it says nothing.
TEST(PostgresSearch, AClientMayCloseAConnectionThatTheServerHasClosed) {
  const harness::Scenario tried = scenario("postgres-advisory",
                                           "[[explore.fault]]\nkind = \"restart\"\nfor = \"300ms\"\n"
                                           "[network]\nlatency = [\"100ms\", \"200ms\"]\ntimeout = \"250ms\"\n"
                                           "[run]\ngrid = \"100ms\"\n");
  const Bounds bounds = bounds_of(tried, Contention::as_written);
  const harness::Scenario within = bounded(tried, bounds, false);
  const Limits all{.reduce = false};
  tests::expect_same_search(explore_by_reexecution(within, bounds, all), explore_stateful(within, bounds, all));
}

}  // namespace
}  // namespace lockproof::sim::postgres_search_test
