// SPDX-License-Identifier: Apache-2.0
// A pause of the budget also strikes a client whose hold is over and who has not left, where that differs from a pause
// before the hold.
#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/search/same_search.hpp"

namespace lockproof::sim::before_exit_test {
namespace {

const ViolationKind outlived{"mutual-exclusion", "outlived"};

class BeforeExit : public testing::Test {
 protected:
  /// Both engines, which must agree.
  static Exploration search(const std::string& text, const char* algorithm) {
    harness::Scenario scenario = tests::scenario(text, algorithm);
    const harness::Bounds bounds = scenario.explore.value();
    scenario = bounded(scenario, bounds, false);
    const Exploration fast = explore_stateful(scenario, bounds, {});
    tests::expect_same_search(explore_by_reexecution(scenario, bounds, {}), fast);
    EXPECT_TRUE(fast.complete);
    return fast;
  }
  static std::string holding(const std::string& workload, const std::string& pause, const std::string& kind = "pause") {
    return "[workload]\nlease = \"10s\"\n" + workload + "[explore]\nattempts = 1\n[[explore.fault]]\nkind = \"" + kind +
           "\"\nfor = \"" + pause + "\"\n";
  }
};

TEST_F(BeforeExit, WhoLooksAtTheDeadlineIsOutlivedByAPauseRightAfterIt) {
  const Exploration found = search(holding("work = [\"hold 20s\"]\nstop_on = \"deadline\"\n", "1s"), "set-px-token");
  ASSERT_TRUE(found.broken.contains(outlived));
  EXPECT_EQ(found.broken.at(outlived).faults, 1);
  const std::string suspended = holding("work = [\"hold 20s\"]\nstop_on = \"deadline\"\n", "1s", "suspend");
  EXPECT_TRUE(search(suspended, "set-px-token").broken.contains(outlived));
}

/// Its first renewal is due after 3.3 s, and the hold is over by then. A pause of 8 s before the hold ends with a
/// renewal in time; one behind it does not.
TEST_F(BeforeExit, WhoRenewsIsOutlivedByAPauseBeforeTheFirstRenewal) {
  EXPECT_TRUE(search(holding("work = [\"hold 3s\"]\n", "8s"), "redisson").broken.contains(outlived));
  EXPECT_FALSE(search(holding("work = [\"hold 3s\"]\n", "6s"), "redisson").broken.contains(outlived));
}

/// A pause before the hold puts off all of it: it is as bad as one behind it, and the search needs no further event.
TEST_F(BeforeExit, WhoHoldsByNoClockIsPausedBeforeTheHold) {
  const Exploration found = search(holding("work = [\"hold 6s\"]\n", "5s"), "set-px-token");
  EXPECT_TRUE(found.broken.contains(outlived));
  EXPECT_FALSE(search(holding("work = [\"hold 6s\"]\n", "3s"), "set-px-token").broken.contains(outlived));
}

TEST_F(BeforeExit, AReleaseWithinTheWorkIsAnExitToo) {
  const Exploration found = search(holding("work = [\"hold 3s\", \"release\", \"hold 1s\"]\n", "8s"), "redisson");
  EXPECT_TRUE(found.broken.contains(outlived));
}

}  // namespace
}  // namespace lockproof::sim::before_exit_test
