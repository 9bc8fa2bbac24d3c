// SPDX-License-Identifier: Apache-2.0
// What happens at the instant of an arrival: commands that undo each other, and connections that end while a call
// waits. Each test pins a sentence of docs/semantics/search.md.
#include <string>

#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "sim/world/undo.hpp"
#include "tests/search/same_search.hpp"

namespace lockproof::sim::arrivals_test {
namespace {

Exploration searched(const harness::Scenario& scenario, const Limits& limits) {
  const harness::Bounds bounds = scenario.explore.value();
  return explore_stateful(bounded(scenario, bounds, false), bounds, limits);
}

// The reply to a release, a TRY that was late and the end of its connection come at one instant.
const std::string late_try =
    "[workload]\nclients = 2\nlease = \"9s\"\nretry = \"2250ms\"\nwork = [\"read\", \"hold 5700ms\", \"write\"]\n"
    "[network]\nlatency = \"10ms\"\ntimeout = \"3s\"\n[run]\nhorizon = \"5000s\"\ngrid = \"10ms\"\n"
    "[explore]\nattempts = 2\nmax_faults = 1\n[[explore.fault]]\nkind = \"delay\"\nby = \"12900ms\"\n";

TEST(Reduction, ACommandThatUndoesAnotherIsNotPutFirst) {
  const harness::Scenario scenario = tests::scenario(late_try, "postgres-advisory");
  const Exploration reduced = searched(scenario, {.exchange = true});
  const Exploration whole = searched(scenario, {.reduce = false, .exchange = true});
  EXPECT_EQ(reduced.broken.size(), whole.broken.size());
  for (const auto& [way, broken] : whole.broken) {
    EXPECT_TRUE(reduced.broken.contains(way)) << way.first << " " << way.second;
  }
  EXPECT_LT(reduced.states, whole.states);
}

TEST(Reduction, ACommandThatOnlyAddsUndoesNothing) {
  EXPECT_FALSE(may_undo(Command({"SET", "lock", "t", "NX", "PX", "10000"})));
  EXPECT_TRUE(may_undo(Command({"SET", "lock", "t"})));
  EXPECT_TRUE(may_undo(Command({"DEL", "lock"})));
  EXPECT_TRUE(may_undo(Command({"A-COMMAND-OF-TOMORROW"})));
}

const std::string broken_write =
    "[workload]\nclients = 2\nlease = \"100ms\"\nwork = [\"read\", \"hold 60ms\", \"write\"]\n"
    "[network]\nlatency = [\"0ms\", \"2ms\"]\ntimeout = \"20ms\"\n"
    "[explore]\nmax_faults = 1\nfailed_attempts = 1\n[[explore.fault]]\nkind = \"break-connection\"\n";

TEST(BreakConnection, StrikesWhileACallWaits) {
  const Exploration found = searched(tests::scenario(broken_write), {.exchange = true});
  EXPECT_TRUE(found.complete);
  EXPECT_TRUE(found.broken.contains({"resource-safety", ""}));
}

TEST(BreakConnection, WhileACallWaitsIsSeenAlikeByBothEngines) {
  const harness::Scenario scenario = tests::scenario(
      "[workload]\nclients = 2\nlease = \"100ms\"\nretry = \"30ms\"\nwork = [\"read\", \"hold 20ms\", \"write\"]\n"
      "[network]\ntimeout = \"20ms\"\n[explore]\ncontention = \"as-written\"\nattempts = 2\nmax_faults = 1\n"
      "[[explore.fault]]\nkind = \"break-connection\"\n");
  const harness::Bounds bounds = scenario.explore.value();
  const harness::Scenario within = bounded(scenario, bounds, false);
  const Limits all{.reduce = false};
  tests::expect_same_search(explore_by_reexecution(within, bounds, all), explore_stateful(within, bounds, all));
}

}  // namespace
}  // namespace lockproof::sim::arrivals_test
