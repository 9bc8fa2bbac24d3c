// SPDX-License-Identifier: Apache-2.0
// Where a lock in Lua could hide what it remembers. Each lock draws a bit in its first attempt and hides it in another
// place; in its second it takes the lock without asking a server if it finds the bit again. A search must not
// take two states for one because of a place that it does not look at. Runs that are drawn, which merge nothing, are
// the reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/input_error.hpp"
#include "harness/lua/lua_algorithm.hpp"
#include "sim/explore/contention.hpp"
#include "sim/explore/fuzz/fuzz.hpp"
#include "sim/explore/state_space/stateful_engine.hpp"
#include "tests/lua/hiding_places.hpp"

namespace lockproof::tests {
namespace {

/// `use`: what is made of the bit in the second attempt.
harness::Scenario hiding(const HidingPlace& place, const char* use) {
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
                                      place.lua, use);
  return harness::parse_scenario("lock.toml",
                                 "[algorithm]\nname = \"set-px-token\"\n"
                                 "[workload]\nrounds = 2\nlease = \"4s\"\nattempts = 1\nwork = [\"hold 1s\"]\n"
                                 "[run]\ngrid = \"1s\"\n"
                                 "[explore]\nretry = \"T/2\"\nmax_faults = 0\ngrid = \"1s\"\n",
                                 lua::load_algorithm("hiding.lua", lua));
}

sim::Exploration explored(const harness::Scenario& drawn) {
  const harness::Bounds bounds = drawn.explore.value();
  return sim::explore_stateful(sim::bounded(drawn, bounds, false), bounds, {.estimate = false});
}

const sim::ViolationKind double_grant{"mutual-exclusion", "double-grant"};

std::string complaint(const harness::Scenario& scenario) {
  try {
    (void)explored(scenario);
    return "";
  } catch (const harness::InputError& e) {
    return e.what();
  }
}

/// Runs merge nothing.
bool drawn_runs_show(const harness::Scenario& scenario) {
  const harness::Bounds bounds = scenario.explore.value();
  harness::Scenario fuzzed = sim::asking_sooner(sim::bounded(scenario, bounds, false));
  fuzzed.horizon = scenario.horizon;
  return sim::fuzz(fuzzed, {.runs = 100, .budget = &bounds}).violated.contains(double_grant);
}

class Hidden : public testing::TestWithParam<HidingPlace> {};

TEST_P(Hidden, BitIsFoundOrRefusedOrForgotten) {
  const HidingPlace& place = GetParam();
  const harness::Scenario scenario = hiding(place, "reveal()");
  if (place.said) {
    EXPECT_EQ(complaint(scenario), place.said);
    return;
  }
  const sim::Exploration found = explored(scenario);
  EXPECT_TRUE(found.complete);
  const bool is_found = found.broken.contains(double_grant);
  EXPECT_EQ(is_found, place.fate == Fate::found);
  EXPECT_EQ(drawn_runs_show(scenario), is_found);
}

/// As many states as with the bit in a global, at the most.
TEST_P(Hidden, BitThatIsNotUsedLeavesTheSpaceFinite) {
  const HidingPlace& place = GetParam();
  if (place.said) return;
  static const std::uint64_t most = explored(hiding(hiding_places[0], "reveal() and false")).states;
  const sim::Exploration found = explored(hiding(place, "reveal() and false"));
  EXPECT_TRUE(found.complete);
  EXPECT_TRUE(found.broken.empty());
  EXPECT_LE(found.states, most);
}

INSTANTIATE_TEST_SUITE_P(Of, Hidden, testing::ValuesIn(hiding_places), [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace lockproof::tests
