// SPDX-License-Identifier: Apache-2.0
// Programs that ask sentinels where the master is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "harness/input_error.hpp"
#include "search/core/exploration.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "sim/run.hpp"
#include "tests/programs/scenarios.hpp"
#include "tests/search/same_search.hpp"

namespace lockproof::program_sentinel_test {
namespace {

/// Of sentinel.py.
harness::Scenario of_asker(const std::string& how, const std::string& rest) {
  return tests::parsed(fmt::format("command = [\"{}\", \"sentinel.py\", \"{}\"]", tests::python, how),
                       R"([workload]
clients = 1
rounds = 8
lease = "2s"
work = ["hold 900ms"]
acquire_timeout = "20s"
[network]
latency = "5ms"
[servers]
redis = 2
[[server]]
name = "redis-2"
replica_of = "redis-1"
[[sentinel]]
master = "redis-1"
promotes = "redis-2"
down_after = "1s"
count = 3
)" + rest);
}

const std::string power_cut = R"([[fault]]
kind = "power-cut"
target = "redis-1"
at = "3s"
for = "60s"
)";

/// The servers on which it got the lock.
std::set<std::string> grants(const harness::History& history) {
  std::set<std::string> servers;
  for (const harness::Event& event : history.events) {
    if (event.what == harness::What::execute && !event.effects.empty()) servers.insert(history.host_name(event.host));
  }
  return servers;
}

TEST(ProgramSentinel, TellsTheMasterAndTheNextOne) {
  const harness::History calm = sim::run(of_asker("", ""), 1);
  EXPECT_EQ(grants(calm), std::set<std::string>{"redis-1"});
  const harness::History struck = sim::run(of_asker("", power_cut), 1);
  EXPECT_EQ(grants(struck), (std::set<std::string>{"redis-1", "redis-2"}));
}

TEST(ProgramSentinel, TellsOfAnotherMasterWhoeverListens) {
  const harness::History history = sim::run(of_asker("listens", power_cut), 1);
  EXPECT_EQ(std::ranges::count(history.events, harness::What::died, &harness::Event::what), 0);
  EXPECT_EQ(grants(history), (std::set<std::string>{"redis-1", "redis-2"})) << "it waits until it is told";
}

TEST(ProgramSentinel, IsRefusedWithTheQuestionThatItDoesNotKnow) {
  try {
    (void)sim::run(of_asker("unknown", ""), 1);
    FAIL() << "it answered";
  } catch (const harness::InputError& refused) {
    EXPECT_NE(std::string(refused.what()).find("asks a sentinel 'SENTINEL ckquorum redis-1'"), std::string::npos)
        << refused.what();
  }
}

TEST(ProgramSentinel, BothEnginesFindTheSame) {
  const harness::Scenario scenario =
      of_asker("",
               "[explore]\nrounds = 2\nattempts = 2\nmax_faults = 1\n[[explore.fault]]\nkind = \"power-cut\"\n"
               "for = \"60s\"\n");
  const harness::Bounds bounds = scenario.explore.value();
  const harness::Scenario bounded = sim::bounded(scenario, bounds, false);
  const sim::Exploration found = sim::explore_stateful(bounded, bounds, {.estimate = false});
  EXPECT_GT(found.of_budget.size(), 0u) << "it never struck";
  EXPECT_FALSE(found.broken.contains({"survives", "died"}));
  tests::expect_same_search(sim::explore_by_reexecution(bounded, bounds, {.estimate = false}), found);
}

}  // namespace
}  // namespace lockproof::program_sentinel_test
