// SPDX-License-Identifier: Apache-2.0
// Heal, then finish: what never ends is met among schedules drawn at random, and where everybody gets the lock nothing
// is.
#include "search/liveness/finish.hpp"

#include "harness/check/expectation.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_bounds.hpp"
#include "harness/scenario/file/write.hpp"
#include "search/liveness/endless.hpp"
#include "sim/run.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::finish_test {
namespace {

using harness::Scenario;

Scenario from_catalogue(const std::string& name) {
  return harness::load_scenario(LOCKPROOF_SOURCE "/scenarios/" + name + ".toml");
}

Finish finish(const Scenario& written, const harness::Bounds& bounds, bool alone, unsigned workers = 2) {
  return heal_then_finish(endless(written, bounds, alone), bounds, written.horizon, {.runs = 40, .workers = workers});
}

struct Case {
  const char* scenario;
  const char* kind;
};

class StandstillRuns : public testing::TestWithParam<Case> {};

TEST_P(StandstillRuns, IsFoundAndShownByARunAndItsTwinIsNot) {
  const Scenario written = from_catalogue(GetParam().scenario);
  const harness::Bounds bounds = written.explore.value_or(harness::Bounds{});
  const Finish found = finish(written, bounds, false);
  EXPECT_EQ(found.runs, 40u);
  ASSERT_FALSE(found.stuck.empty());
  const Finish::StandstillRuns& stuck = found.stuck.front();
  EXPECT_EQ(stuck.kind, GetParam().kind);
  EXPECT_GT(stuck.runs, 0u);
  const Scenario again = harness::parse_scenario("stuck.toml", harness::to_toml(stuck.scenario));
  const auto met = check::compare(check::judge(run(again, 7), again), again.expect.run);
  EXPECT_EQ(check::overall(met), check::Agreement::yes);
  const bool shows = std::ranges::any_of(met, [&](const auto& one) { return one.finding.kind == stuck.kind; });
  EXPECT_TRUE(shows);

  const Scenario twin = from_catalogue(std::string(GetParam().scenario) + "-twin");
  EXPECT_TRUE(finish(twin, twin.explore.value_or(harness::Bounds{}), false).stuck.empty());
}

INSTANTIATE_TEST_SUITE_P(Of, StandstillRuns,
                         testing::Values(Case{"documented/notifications/missed-unlock-message", "lost-wakeup"},
                                         Case{"documented/leases/unbounded-extension", "starvation"},
                                         Case{"notes/setnx-del-crash", "orphaned"}),
                         [](const auto& one) {
                           std::string name = one.param.scenario;
                           for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           return name;
                         });

/// What takes the worst luck in every tie for ever is not met by chance: lassos are for that.
TEST(Finish, LuckEndsALockstep) {
  EXPECT_TRUE(finish(from_catalogue("documented/redlock/redlock-lockstep"), {}, false).stuck.empty());
}

/// Faults of a budget strike on the way, and stop: a lock with a lease comes back from each, one without does not.
TEST(Finish, FaultsOfABudgetStop) {
  const std::string text = "[workload]\nlease = \"2s\"\nwork = [\"hold 1s\"]\n";
  for (const auto& [algorithm, dies] : {std::pair{"set-px-token", false}, std::pair{"setnx-del", true}}) {
    const Scenario written =
        tests::scenario(std::string(algorithm) == "setnx-del" ? "[workload]\nwork = [\"hold 1s\"]\n" : text, algorithm);
    const harness::Bounds budget = harness::load_budget(LOCKPROOF_SOURCE "/scenarios/budgets/one-server.toml", written);
    const Finish found = heal_then_finish(endless(written, budget, true), budget, written.horizon, {.runs = 400});
    EXPECT_EQ(!found.stuck.empty(), dies) << algorithm;
    EXPECT_GE(found.within, seconds(100));
  }
}

TEST(Finish, IsTheSameWithAnyNumberOfWorkers) {
  const Scenario written = from_catalogue("documented/notifications/missed-unlock-message");
  const harness::Bounds bounds = written.explore.value_or(harness::Bounds{});
  const Finish one = finish(written, bounds, false, 1), three = finish(written, bounds, false, 3);
  ASSERT_EQ(one.stuck.size(), three.stuck.size());
  for (std::size_t i = 0; i < one.stuck.size(); ++i) {
    EXPECT_EQ(one.stuck[i].runs, three.stuck[i].runs);
    EXPECT_EQ(harness::to_toml(one.stuck[i].scenario), harness::to_toml(three.stuck[i].scenario));
  }
}

}  // namespace
}  // namespace lockproof::sim::finish_test
