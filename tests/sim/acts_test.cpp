// SPDX-License-Identifier: Apache-2.0
// Faults before what every client does, whatever its lock's commands are: one scenario fits every lock.
#include <fmt/format.h>

#include <map>
#include <string>

#include "algorithms/catalogue.hpp"
#include "search/core/contention.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/fixtures.hpp"
#include "tests/search/same_search.hpp"

namespace lockproof::tests::acts_test {
namespace {

using harness::What;

/// One client, which `kind` strikes before `act`.
harness::History struck(const Algorithm& algorithm, const std::string& kind, const std::string& act) {
  std::string servers;
  if (algorithm.servers != Servers::one_with_replica) servers = harness::servers_tables(algorithm, 3);
  const harness::Scenario s = scenario(
      servers + "[workload]\nclients = 1\nattempts = 1\nrelease_tries = 1\nwork = [\"hold 1s\"]\n[[fault]]\nkind = \"" +
          kind + "\"\ntarget = \"client-1\"\nwhen = \"client-1 before " + act + "\"\n",
      std::string(algorithm.name));
  return run(s);
}

TEST(Acts, WhoDiesBeforeOneHasDoneTheOnesBeforeItAndNotTheOnesAfterIt) {
  const std::vector<std::pair<const char*, What>> in_order{
      {"acquire", What::send}, {"enter", What::enter}, {"exit", What::exit}};
  for (const Algorithm& algorithm : catalogue()) {
    for (const char* kind : {"crash", "kill-task"}) {
      for (std::size_t i = 0; i < in_order.size(); ++i) {
        const harness::History h = struck(algorithm, kind, in_order[i].first);
        EXPECT_EQ(where(h, What::strike).size(), 1U) << algorithm.name << " " << in_order[i].first;
        for (std::size_t other = 0; other < in_order.size(); ++other) {
          EXPECT_EQ(!where(h, in_order[other].second, "client-1").empty(), other < i)
              << algorithm.name << ", " << kind << " before " << in_order[i].first << ": " << in_order[other].first;
        }
      }
      const harness::History h = struck(algorithm, kind, "release");
      EXPECT_EQ(where(h, What::exit, "client-1").size(), 1U) << algorithm.name;
      EXPECT_EQ(where(h, What::released, "client-1").size(), 0U) << algorithm.name;
    }
  }
}

/// The first command of the release, whatever it is, and no other one.
TEST(Acts, AMessageIsTheFirstOneOfTheAct) {
  for (const Algorithm& algorithm : catalogue()) {
    const harness::History h = struck(algorithm, "half-open", "release");
    // Chubby's master holds a KeepAlive's answer back, which is lost with the connection.
    const std::size_t lost = algorithm.service == Service::chubby ? 2 : 1;
    ASSERT_EQ(where(h, What::drop).size(), lost) << algorithm.name;
    EXPECT_GT(where(h, What::drop).front(), where(h, What::release).front()) << algorithm.name;
    EXPECT_LT(where(h, What::strike).front(), where(h, What::drop).front()) << algorithm.name;
  }
}

TEST(Acts, ARenewalIsOne) {
  const harness::Scenario s = scenario(
      "[workload]\nclients = 1\nwork = [\"hold 40s\"]\n[[fault]]\nkind = \"crash\"\ntarget = \"client-1\"\n"
      "when = \"client-1 before renew #2\"\n",
      "redisson");
  const harness::History h = run(s);
  EXPECT_EQ(where(h, What::renewed, "client-1").size(), 1U);
  EXPECT_EQ(where(h, What::renew, "client-1").size(), 2U);
  EXPECT_EQ(where(h, What::strike, "client-1").size(), 1U);
}

TEST(Acts, AreCountedByTheRound) {
  const harness::Scenario s = scenario(
      "[workload]\nclients = 1\nrounds = 2\nwork = [\"hold 1s\"]\n[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\n"
      "when = \"client-1 before enter round 2\"\nfor = \"5s\"\n");
  const harness::History h = run(s);
  EXPECT_LT(ms(event(h, What::enter, "client-1", 0)), 1'000);
  EXPECT_GT(ms(event(h, What::enter, "client-1", 1)), 5'000);
}

/// Who obeys its deadline looks at it when it enters, so a pause before that is found; and one before it exits is not.
TEST(Acts, APauseBeforeAnEntryIsSeenByWhoLooksAtItsDeadline) {
  const auto overlaps = [](const std::string& act) {
    const harness::Scenario s = scenario(
        "[workload]\nlease = \"4s\"\nstop_on = \"deadline\"\nwork = [\"hold 2s\"]\n[[client]]\nname = \"client-2\"\n"
        "start = \"100ms\"\n[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nwhen = \"client-1 before " +
        act + "\"\nfor = \"5s\"\n");
    return judged(run(s), s, "mutual-exclusion").kind;
  };
  EXPECT_EQ(overlaps("enter"), "");
  EXPECT_EQ(overlaps("exit"), "outlived");
}

TEST(Acts, BothEnginesSeeTheSame) {
  for (const char* act : {"acquire", "enter", "exit", "release"}) {
    harness::Scenario s =
        scenario(std::string("[workload]\nlease = \"2s\"\nwork = [\"hold 1s\"]\n[[fault]]\nkind = \"pause\"\ntarget = "
                             "\"client-1\"\nwhen = \"client-1 before ") +
                 act + "\"\nfor = \"3s\"\n[explore]\nattempts = 1\n[[explore.fault]]\nkind = \"evict\"\n");
    const harness::Bounds bounds = s.explore.value();
    s = sim::bounded(s, bounds, false);
    sim::Limits limits;
    const sim::Exploration fast = sim::explore_stateful(s, bounds, limits);
    EXPECT_TRUE(fast.complete);
    expect_same_search(sim::explore_by_reexecution(s, bounds, limits), fast);
    EXPECT_EQ(fast.broken.contains({"mutual-exclusion", "outlived"}), act != std::string("release")) << act;
  }
}

/// Else a fault could mean a command.
TEST(Acts, NoCommandIsCalledLikeOne) {
  for (const Algorithm& algorithm : catalogue()) {
    const harness::History h = struck(algorithm, "half-open", "release");
    for (const std::size_t i : where(h, What::send)) EXPECT_FALSE(harness::is_act(h.events[i].command->verb()));
  }
}

}  // namespace
}  // namespace lockproof::tests::acts_test
