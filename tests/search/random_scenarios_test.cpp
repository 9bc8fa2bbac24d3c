// SPDX-License-Identifier: Apache-2.0
// The engines on scenarios that nobody thought of: they must count the same states, transitions and ends, and find the
// same with the same fewest faults and events; and what the reductions leave out must change no verdict.
#include <cstdlib>
#include <exception>

#include "tests/random_scenario.hpp"
#include "tests/search/both_engines.hpp"

namespace lockproof::sim::random_scenarios_test {
namespace {

/// More of them with this variable set.
std::uint64_t asked_for() {
  const char* const asked = std::getenv("LOCKPROOF_RANDOM_SCENARIOS");
  return asked ? std::strtoull(asked, nullptr, 10) : 12;
}

TEST(RandomScenarios, AreSearchedAlikeByBothEngines) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 1; compared < asked_for(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + tests::random_scenario_text(seed));
    try {
      compared += tests::searched_by_both(tests::random_scenario(seed));
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    if (HasFailure()) return;
  }
}

/// All that a scenario can be about is drawn, and the same for the same seed.
TEST(RandomScenarios, AreOfEveryLockAndEveryFaultThatTheFastEngineKnows) {
  std::set<std::string_view> locks;
  std::set<harness::FaultKind> kinds;
  std::set<std::size_t> clients;
  int elsewhere = 0;
  bool twice = false, windows = false, two_faults = false, bounds = false, replicas = false, sentinels = false;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    EXPECT_EQ(tests::random_scenario_text(seed), tests::random_scenario_text(seed));
    const harness::Scenario drawn = tests::random_scenario(seed);
    locks.insert(drawn.algorithm->name);
    clients.insert(drawn.clients.size());
    for (const auto& entry : drawn.explore->budget) kinds.insert(entry.kind);
    twice |= drawn.clients.front().plan.rounds == 2;
    windows |= drawn.network.latency.least != drawn.network.latency.most;
    two_faults |= drawn.explore->max_faults == 2;
    bounds |= drawn.progress && drawn.waiting;
    replicas |= drawn.servers.back().replica_of == "redis-1" && drawn.sentinels.empty();
    sentinels |= !drawn.sentinels.empty();
    for (const harness::Fault& fault : drawn.faults) elsewhere += fault.when->actor != fault.target;
  }
  EXPECT_EQ(locks.size(), catalogue().size());
  EXPECT_EQ(kinds.size(), 19u);
  EXPECT_EQ(clients, (std::set<std::size_t>{2, 3}));
  EXPECT_TRUE(twice && windows && two_faults && bounds && replicas && sentinels);
  EXPECT_GT(elsewhere, 10);
}

}  // namespace
}  // namespace lockproof::sim::random_scenarios_test
