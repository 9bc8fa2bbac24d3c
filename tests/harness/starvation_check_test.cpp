// SPDX-License-Identifier: Apache-2.0
// starvation-freedom, on histories made by hand.
#include "tests/harness/history_table.hpp"

namespace lockproof::check::starvation_check_test {
namespace {

Finding judged(const std::string& table) {
  return starvation_freedom(tests::parsed(table), tests::scenario("[judge]\nwaiting = \"5ms\"\n"));
}

TEST(StarvationFreedom, WhoWaitsLongerThanTheBoundWhileOthersGetItStarves) {
  const Finding f = judged(R"(
    0 A start
    1 B start
    2 B granted 10s
    3 B released yes
    6 A busy)");
  EXPECT_EQ(f.kind, "starvation");
  EXPECT_EQ(f.events, (std::vector<std::size_t>{0, 4}));
}

TEST(StarvationFreedom, AtTheBoundItHasNotStarved) {
  EXPECT_EQ(judged("0 A start\n 1 B start\n 2 B granted 10s\n 3 B released yes\n 5 A granted 10s").verdict,
            Verdict::not_found);
}

TEST(StarvationFreedom, WhereAnotherOneHasItAllTheTimeTheOtherStarves) {
  EXPECT_EQ(judged("0 B start\n 0 B granted 10s\n 1 A start\n 7 A busy").kind, "starvation");
}

TEST(StarvationFreedom, ALockThatNobodyGetsIsDeadlockFreedomsMatter) {
  EXPECT_EQ(judged("0 A start\n 0 B start\n 9 A busy\n 9 B busy").verdict, Verdict::not_found);
  EXPECT_EQ(judged("0 B start\n 0 B granted 10s\n 0 B strike crash\n 1 A start\n 9 A busy").verdict,
            Verdict::not_found);
}

TEST(StarvationFreedom, APausedClientDoesNotWait) {
  const std::string paused = "0 A start\n 1 A strike pause\n 1 B start\n 2 B granted 10s\n 8 A heal pause\n";
  EXPECT_EQ(judged(paused + "12 A busy").verdict, Verdict::not_found);
  EXPECT_EQ(judged(paused + "14 A busy").kind, "starvation");
}

TEST(StarvationFreedom, WhoGivesUpOrDiesNoLongerWaits) {
  const std::string begins = "0 A start\n 0 B start\n 1 B granted 10s\n";
  for (const char* end : {"2 A gave-up", "2 A strike crash", "2 A strike kill-task"}) {
    EXPECT_EQ(judged(begins + end + "\n 9 B exit").verdict, Verdict::not_found) << end;
  }
}

}  // namespace
}  // namespace lockproof::check::starvation_check_test
