// SPDX-License-Identifier: Apache-2.0
// Where a lock in Lua could hide what it remembers. Each lock draws a bit in its first attempt and hides it in another
// place; in its second it takes the lock without asking a server if it finds the bit again. A search must not
// take two states for one because of a place that it does not look at. Runs that are drawn, which merge nothing, are
// the reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/input_error.hpp"
#include "harness/lua/lua_algorithm.hpp"
#include "harness/scenario/file/parse.hpp"
#include "search/core/contention.hpp"
#include "search/fuzz/fuzz.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/lua/hiding_places.hpp"

namespace lockproof::tests::hidden_test {
namespace {

/// `use`: what is made of the bit in the second attempt.
harness::Scenario hiding(const HidingPlace& place, const char* use) {
  const bool is_refused = place.fate == Fate::refused;
  const std::string functions =
      is_refused ? fmt::format("function hide(bit) {} end function reveal() return false end", place.lua) : place.lua;
  const std::string lua = fmt::format(R"(lock = {{ round_trips = 2 }}
{}
attempts = 0
function acquire(name, lease)
  attempts = attempts + 1
  local token = random.token()
  if attempts == 1 then hide(random.between(0, 1000) >= 1000) end
  if attempts == 2 and {} then return {{ token = token }} end
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why) end
  if not won then return busy() end
  return {{ token = token }}
end
function release(grant) call("DEL", grant.name) return true end
)",
                                      functions, use);
  return harness::parse_scenario("lock.toml",
                                 "[algorithm]\nname = \"set-px-token\"\n"
                                 "[workload]\nrounds = 2\nlease = \"4s\"\nattempts = 1\nwork = [\"hold 1s\"]\n"
                                 "[run]\ngrid = \"1s\"\n"
                                 "[explore]\nretry = \"T/2\"\nmax_faults = 0\ngrid = \"1s\"\n",
                                 lua::load_algorithm("hiding.lua", lua));
}

sim::Exploration explored(const harness::Scenario& drawn) {
  const harness::Bounds bounds = drawn.explore.value_or(harness::Bounds{});
  return sim::explore_stateful(sim::bounded(drawn, bounds, false), bounds, {.estimate = false});
}

const sim::ViolationKind double_grant{"mutual-exclusion", "double-grant"};

TEST(Hidden, BitIsFoundOrRefusedOrForgotten) {
  for (const HidingPlace& place : hiding_places) {
    SCOPED_TRACE(place.name);
    const harness::Scenario scenario = hiding(place, "reveal()");
    try {
      const sim::Exploration found = explored(scenario);
      EXPECT_TRUE(found.complete);
      EXPECT_EQ(found.broken.contains(double_grant), place.fate == Fate::found);
      EXPECT_NE(place.fate, Fate::refused);
    } catch (const harness::InputError& e) {
      EXPECT_STREQ(e.what(), place.said);
    }
  }
}

/// Runs merge nothing.
TEST(Hidden, BitIsWhatRunsShowThatAreDrawn) {
  for (const HidingPlace& place : hiding_places) {
    if (place.fate == Fate::refused) continue;
    SCOPED_TRACE(place.name);
    const harness::Scenario scenario = hiding(place, "reveal()");
    const harness::Bounds bounds = scenario.explore.value();
    harness::Scenario drawn = sim::asking_sooner(sim::bounded(scenario, bounds, false));
    drawn.horizon = scenario.horizon;
    const sim::FuzzResult found = sim::fuzz(drawn, {.runs = 60, .budget = &bounds});
    EXPECT_EQ(found.violated.contains(double_grant), place.fate == Fate::found);
  }
}

TEST(Hidden, BitThatIsNotUsedLeavesTheSpaceFinite) {
  const std::uint64_t in_a_global = explored(hiding(hiding_places[0], "reveal() and false")).states;
  for (const HidingPlace& place : hiding_places) {
    if (place.fate == Fate::refused) continue;
    SCOPED_TRACE(place.name);
    const sim::Exploration found = explored(hiding(place, "reveal() and false"));
    EXPECT_TRUE(found.complete);
    EXPECT_TRUE(found.broken.empty());
    EXPECT_LE(found.states, place.keeps_instants ? 4 * in_a_global : in_a_global);
  }
}

/// A client that was refused in its first round takes the lock by force in its third. P and U were once said to hold.
/// The schedule is one of those that are searched.
TEST(Hidden, BitThatARefusalLeavesIsFound) {
  const std::pair<const char*, bool> locks[] = {{"P", false}, {"Q", true}, {"U", true}};
  for (const auto& [name, is_found] : locks) {
    SCOPED_TRACE(name);
    const std::string file = fmt::format("{}/tests/lua/hidden/{}", LOCKPROOF_SOURCE, name);
    EXPECT_EQ(explored(harness::load_scenario(file + ".toml")).broken.contains(double_grant), is_found);
    const sim::FuzzResult run = sim::fuzz(harness::load_scenario(file + "-run.toml"), {.runs = 1});
    EXPECT_EQ(run.violated.contains(double_grant), is_found);
  }
}

}  // namespace
}  // namespace lockproof::tests::hidden_test
