// SPDX-License-Identifier: Apache-2.0
// availability, on histories made by hand: it asks what deadlock-freedom and fault-tolerance leave out.
#include "tests/harness/history_table.hpp"

namespace lockproof::check::availability_check_test {
namespace {

harness::Scenario scenario(int servers = 1) {
  return tests::scenario(
      "[judge]\navailable = \"5ms\"\nprogress = \"5ms\"\n[servers]\nredis = " + std::to_string(servers) + "\n",
      servers > 1 ? "redlock" : "set-px-token");
}
Verdict judged(const std::string& table, int servers = 1) {
  return availability(tests::parsed(table, servers), scenario(servers)).verdict;
}

TEST(Availability, RejectsALockThatNobodyGetsWhileItsServerIsDown) {
  for (const char* fault : {"restart", "power-cut", "pause", "partition"}) {
    const std::string down = std::string("0 A start\n 1 redis-1 strike ") + fault + "\n 9 A busy";
    const harness::History h = tests::parsed(down);
    const Finding f = availability(h, scenario());
    EXPECT_EQ(f.verdict, Verdict::violated) << fault;
    EXPECT_EQ(f.events, (std::vector<std::size_t>{0, 2})) << fault;
    EXPECT_NE(f.what.find("; out of reach: redis-1"), std::string::npos) << f.what;
    EXPECT_EQ(deadlock_freedom(h, scenario()).verdict, Verdict::not_found) << fault;
  }
}

TEST(Availability, RejectsOneThatNoMajorityIsLeftForToo) {
  const std::string two_down = "0 A start\n 0 redis-1 strike restart\n 0 redis-2 strike restart\n 9 A busy";
  EXPECT_EQ(judged(two_down, 3), Verdict::violated);
  EXPECT_EQ(fault_tolerance(tests::parsed(two_down, 3), scenario(3)).verdict, Verdict::not_found);
}

TEST(Availability, AcceptsALockThatIsTakenWithinTheBound) {
  EXPECT_EQ(judged("0 A start\n 0 redis-1 strike restart\n 4 redis-1 heal restart\n 5 A granted 10s"),
            Verdict::not_found);
  EXPECT_EQ(judged("0 A start\n 0 redis-1 strike restart\n 4 redis-1 heal restart\n 6 A granted 10s"),
            Verdict::violated);
}

TEST(Availability, WhoHoldsTheLockMayTakeItsTimeWhateverBecomesOfTheServers) {
  EXPECT_EQ(judged("0 A granted 10s\n 0 B start\n 1 redis-1 strike restart\n 90 A released yes\n 95 B granted 10s"),
            Verdict::not_found);
}

TEST(Availability, ACrashedHolderHasNothing) {
  EXPECT_EQ(judged("0 A granted 10s\n 0 B start\n 1 A strike crash\n 9 B busy"), Verdict::violated);
}

TEST(Availability, WhoIsItselfPausedOrCutOffDoesNotWant) {
  for (const char* own : {"A strike pause 90ms", "A strike partition", "A strike partition redis-1"}) {
    EXPECT_EQ(judged(std::string("0 A start\n 0 ") + own + "\n 90 A busy"), Verdict::not_found) << own;
  }
  EXPECT_EQ(judged("0 A start\n 0 A strike crash\n 90 B start"), Verdict::not_found);
  EXPECT_EQ(judged("0 A start\n 0 redis-1 strike partition A\n 90 A busy"), Verdict::violated);  // the server's fault
  EXPECT_EQ(judged("0 A start\n 0 A strike pause 9ms\n 9 A heal pause\n 14 A granted 10s"), Verdict::not_found);
  EXPECT_EQ(judged("0 A start\n 0 A strike pause 9ms\n 9 A heal pause\n 15 A granted 10s"), Verdict::violated);
}

TEST(Availability, WhoeverGetsItEndsTheWait) {
  EXPECT_EQ(judged("0 A start\n 2 B start\n 4 B granted 10s\n 8 B released yes\n 12 A granted 10s"),
            Verdict::not_found);
}

TEST(Availability, WhereNothingHappensAnyMoreNobodyGetsItAtAll) {
  EXPECT_EQ(judged("0 A start\n 1 resource end finished"), Verdict::violated);
  EXPECT_EQ(judged("0 A start\n 1 resource end horizon"), Verdict::not_found);
}

TEST(Availability, IsJudgedOnlyWithItsBound) {
  const Finding f = tests::judged(tests::parsed("0 A start\n 99999 A busy"), tests::scenario(""), "availability");
  EXPECT_EQ(f.verdict, Verdict::not_found);
  EXPECT_FALSE(f.judged);
  EXPECT_EQ(f.what, "the scenario states no bound ([judge] available)");
}

}  // namespace
}  // namespace lockproof::check::availability_check_test
