// SPDX-License-Identifier: Apache-2.0
// Locks of several names in a search: where a client is in its nested work is part of a state, and each lock is judged.
#include "sim/world/state_encoder.hpp"
#include "tests/search/both_engines.hpp"

namespace lockproof::sim::several_locks_test {
namespace {

harness::Scenario clients(const std::string& second, const std::string& explore) {
  return tests::scenario(
      "retry = \"500ms\"\n[workload]\nlease = \"2s\"\nacquire_timeout = \"5s\"\n"
      "[[client]]\nname = \"client-1\"\nlock = \"a\"\nwork = [\"hold 500ms\", \"acquire b\", \"release b\"]\n"
      "[[client]]\nname = \"client-2\"\n" +
      second + "[judge]\nprogress = \"1s\"\n[explore]\n" + explore);
}
const std::string opposite = "lock = \"b\"\nwork = [\"hold 500ms\", \"acquire a\", \"release a\"]\n";
const std::string same = "lock = \"a\"\nwork = [\"hold 500ms\", \"acquire b\", \"release b\"]\n";

Exploration searched(const harness::Scenario& scenario) {
  const harness::Bounds of = scenario.explore.value();
  return explore_by_reexecution(bounded(scenario, of, false), of, {});
}

TEST(SeveralLocks, ASearchFindsTheRingAndWhatEndsIt) {
  const Exploration found = searched(clients(opposite, "contention = \"as-written\"\n"));
  EXPECT_TRUE(found.complete);
  EXPECT_TRUE(found.broken.contains({"deadlock-freedom", "circular-wait"}));
  EXPECT_TRUE(found.broken.contains({"mutual-exclusion", "outlived"}));
}

TEST(SeveralLocks, InOneOrderNothingIsFound) {
  const Exploration found = searched(clients(same, "contention = \"as-written\"\n"));
  EXPECT_TRUE(found.complete && found.acquired && found.contended);
  EXPECT_TRUE(found.broken.empty());
}

TEST(SeveralLocks, AreLeftToTheReexecutionEngine) {
  const harness::Scenario scenario = clients(same, "");
  EXPECT_EQ(stateful_engine_refuses(scenario, *scenario.explore), "locks of several names");
}

std::string encoded(const harness::Life& life) {
  StateEncoder into;
  into.life(life, {});
  return into.take();
}

TEST(SeveralLocks, WhatAClientHasIsPartOfItsState) {
  harness::Life life;
  life.phase = harness::Phase::inside;
  life.depth = 1;
  life.grant.emplace(Name("a"), Token("t"));
  std::set<std::string> states{encoded(life)};
  life.others.push_back({.name = "b"});
  states.insert(encoded(life));
  life.others.back().name = "c";
  states.insert(encoded(life));
  life.others.back().grant.emplace(Name("c"), Token("u"));
  states.insert(encoded(life));
  life.others.back().notified_of_loss = true;
  states.insert(encoded(life));
  life.others.back().releases = 1;
  states.insert(encoded(life));
  EXPECT_EQ(states.size(), 6u);
}

TEST(Before, WhatWasReadIsPartOfAState) {
  harness::Life life;
  life.phase = harness::Phase::wanting;
  const std::string without = encoded(life);
  life.base = 1;
  EXPECT_NE(encoded(life), without);
}

}  // namespace
}  // namespace lockproof::sim::several_locks_test
