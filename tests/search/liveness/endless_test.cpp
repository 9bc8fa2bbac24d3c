// SPDX-License-Identifier: Apache-2.0
// Progress: in the catalogue's scenarios somebody who wants the lock never gets it, and in their twins everybody does.
#include "search/liveness/endless.hpp"

#include "harness/check/expectation.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/write.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "sim/run.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::endless_test {
namespace {

using harness::Scenario;

struct SearchResult {
  Scenario scenario;
  EndlessRuns found;
};

SearchResult search(const Scenario& written, const Limits& limits = {}) {
  const harness::Bounds bounds = written.explore.value_or(harness::Bounds{});
  SearchResult searched{endless(written, bounds, false), {}};
  searched.found = search_endless(searched.scenario, bounds, limits, written.horizon);
  return searched;
}

Scenario from_catalogue(const std::string& name) {
  return harness::load_scenario(LOCKPROOF_SOURCE "/scenarios/" + name + ".toml");
}

class Pair : public testing::TestWithParam<const char*> {};

/// What it shows is checked as anybody can: by the scenario that it is saved as.
TEST_P(Pair, OneNeverGetsTheLockAndInItsTwinEverybodyDoes) {
  const Scenario written = from_catalogue(GetParam());
  const SearchResult searched = search(written);
  EXPECT_TRUE(searched.found.complete && !searched.found.differs);
  ASSERT_EQ(searched.found.loops.size(), 1u);
  const Loop& loop = searched.found.loops.front();
  EXPECT_EQ(loop.kind, written.expect.liveness);

  const Scenario again = harness::parse_scenario("loop.toml", harness::to_toml(loop.scenario));
  EXPECT_GE(again.horizon, loop.stem_lasts + 2 * loop.turn_lasts);
  const harness::History history = run(again, 7);  // its steps leave nothing to the seed
  const auto met = check::compare(check::judge(history, again), again.expect.run);
  EXPECT_EQ(check::overall(met), check::Agreement::yes);
  bool never = false;
  for (const check::ComparedFinding& one : met) {
    const std::string& property = one.finding.property;
    const bool of_progress = property == "deadlock-freedom" || property == "starvation-freedom";
    never = never || (of_progress && one.finding.verdict == check::Verdict::violated);
  }
  EXPECT_TRUE(never);

  const Scenario twin = from_catalogue(std::string(GetParam()) + "-twin");
  ASSERT_EQ(twin.expect.liveness, "holds");
  const EndlessRuns progresses = search(twin).found;
  EXPECT_TRUE(progresses.complete && !progresses.differs && progresses.loops.empty());
}

INSTANTIATE_TEST_SUITE_P(OfTheCatalogue, Pair,
                         testing::Values("documented/redlock/redlock-two-servers-lockstep",
                                         "documented/leases/retry-starvation",
                                         "documented/notifications/missed-unlock-message",
                                         "documented/leases/zombie-watchdog", "documented/leases/unbounded-extension",
                                         "notes/setnx-del-crash"),
                         [](const auto& param) {
                           std::string name = param.param;
                           for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           return name;
                         });

/// On four servers, too; its twin is too large for this.
TEST(EndlessRuns, FindsRedlockInLockstep) {
  const Scenario written = from_catalogue("documented/redlock/redlock-lockstep");
  EXPECT_EQ(written.expect.liveness, "livelock");
  const EndlessRuns found = search(written).found;
  EXPECT_TRUE(found.complete && !found.differs);
  ASSERT_EQ(found.loops.size(), 1u);
  EXPECT_EQ(found.loops.front().kind, written.expect.liveness);
}

/// The events of one turn are those of the next, by who does what.
TEST(EndlessRuns, ATurnIsRepeatedToTheEvent) {
  const Loop loop = search(from_catalogue("documented/leases/retry-starvation")).found.loops.at(0);
  const auto& events = loop.history.events;
  const std::size_t length = loop.ends - loop.begins;
  ASSERT_GT(length, 0u);
  ASSERT_GE(events.size(), loop.ends + length);
  for (std::size_t i = loop.begins; i < loop.ends; ++i) {
    EXPECT_EQ(events[i].what, events[i + length].what);
    EXPECT_EQ(events[i].host, events[i + length].host);
    EXPECT_EQ(events[i].at + loop.turn_lasts, events[i + length].at);
  }
}

TEST(EndlessRuns, StopsAtALimitAndThenKnowsNothing) {
  Limits limits;
  limits.go_on = [](const Progress&) { return false; };
  const EndlessRuns found = search(from_catalogue("documented/redlock/redlock-lockstep"), limits).found;
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.stopped, "it was stopped");
  EXPECT_TRUE(found.loops.empty());
}

/// Rounds for ever are not part of a state, in either engine; a round that a fault names is told from others.
TEST(EndlessRuns, RoundsForEverAreNotCounted) {
  const auto states = [](const std::string& text) {
    const Scenario written = tests::scenario(
        "[workload]\nclients = 1\nrounds = \"for ever\"\nacquire_timeout = \"for ever\"\nwork = [\"hold 1s\"]\n" +
        text);
    const Scenario scenario = bounded(written, {}, false);
    const Exploration fast = explore_stateful(scenario, {}, {}), slow = explore_by_reexecution(scenario, {}, {});
    EXPECT_TRUE(fast.complete && slow.complete);
    EXPECT_EQ(fast.states, slow.states);
    EXPECT_EQ(fast.struck, slow.struck);
    return std::pair(fast.states, fast.struck.size());
  };
  const auto plain = states("");
  EXPECT_EQ(plain.second, 0u);
  const auto named = states(
      "[[fault]]\nkind = \"pause\"\nfor = \"100ms\"\ntarget = \"client-1\"\nwhen = \"client-1 enters round 3\"\n");
  EXPECT_EQ(named.second, 1u);
  EXPECT_GT(named.first, plain.first * 2);
}

/// A acquire_timeout that ends, and a number of attempts, would be an end of every loop.
TEST(EndlessRuns, NobodyGivesUp) {
  const Scenario scenario =
      endless(tests::scenario("[workload]\nrounds = 3\nattempts = 2\n[explore]\nrounds = 2\nattempts = 4\n"),
              {.rounds = 2}, false);
  for (const harness::ClientSpec& client : scenario.clients) {
    EXPECT_EQ(client.plan.rounds, 2);
    EXPECT_EQ(client.plan.attempts, std::nullopt);
    EXPECT_EQ(client.plan.acquire_timeout, harness::for_ever);
  }
}

TEST(EndlessRuns, ForEverSurvivesBeingWritten) {
  const Scenario scenario = tests::scenario(
      "[workload]\nrounds = \"for ever\"\nacquire_timeout = \"for ever\"\nwork = [\"hold for ever\"]\n[judge]\nwaiting "
      "= "
      "\"3s\"\n"
      "[expect]\nliveness = \"starvation\"\n");
  Scenario again = harness::parse_scenario(scenario.file, harness::to_toml(scenario));
  EXPECT_EQ(again.clients, scenario.clients);
  EXPECT_EQ(again.waiting, seconds(3));
  EXPECT_EQ(again.expect, scenario.expect);
}

}  // namespace
}  // namespace lockproof::sim::endless_test
