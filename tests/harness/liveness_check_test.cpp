// SPDX-License-Identifier: Apache-2.0
// The properties of a lock that somebody waits for, holds several times, or loses: each rejects a history that breaks
// it and accepts one that does not.
#include "harness/check/expectation.hpp"
#include "harness/scenario/file/parse.hpp"
#include "tests/harness/history_table.hpp"

namespace lockproof::check::liveness_check_test {
namespace {

Finding check_with(Finding (*checker)(const harness::History&, const harness::Scenario&), const std::string& table,
                   const std::string& judge, int servers = 1) {
  const harness::Scenario s =
      tests::scenario("[servers]\nredis = " + std::to_string(servers) + "\n[judge]\n" + judge + "\n",
                      servers > 1 ? "redlock" : "set-px-token");
  return checker(tests::parsed(table, servers), s);
}
const std::string bound = "progress = \"5ms\"";

// ---- deadlock freedom

TEST(DeadlockFreedom, AcceptsALockThatIsTakenWithinTheBound) {
  const std::string taken = R"(
    0 A start
    0 A attempt
    5 A granted 10s
    5 A enter)";
  EXPECT_EQ(check_with(deadlock_freedom, taken, bound).verdict, Verdict::not_found);
  EXPECT_EQ(check_with(deadlock_freedom, taken, "progress = \"4ms\"").verdict, Verdict::violated);
}

TEST(DeadlockFreedom, AKeyOfNoAttemptUnderWayIsOrphaned) {
  const Finding f = check_with(deadlock_freedom, R"(
    0 A start
    0 A attempt
    0 A send redis-1 1 SET
    1 redis-1 execute A 1 SET acquired
    2 A failed
    2 A gave-up
    2 B start
    2 B attempt
    3 B busy
    8 B attempt)",
                               bound);
  EXPECT_EQ(f.kind, "orphaned");
  EXPECT_EQ(f.events, (std::vector<std::size_t>{6, 9}));
}

TEST(DeadlockFreedom, TheKeyOfAnAttemptThatDiedIsOrphaned) {
  for (const char* death : {"crash", "kill-task"}) {
    const std::string text = "0 A start\n 0 A attempt\n 1 redis-1 execute A 1 SETNX acquired\n 1 A strike " +
                             std::string(death) + "\n 2 B start\n 2 B attempt\n 3 B busy\n 8 B attempt";
    EXPECT_EQ(check_with(deadlock_freedom, text, bound).kind, "orphaned") << death;
  }
}

TEST(DeadlockFreedom, AClientThatIsRefusedByItsOwnKeyIsOrphanedToo) {
  EXPECT_EQ(check_with(deadlock_freedom, R"(
    0 A start
    0 A attempt
    0 A send redis-1 1 SET
    1 redis-1 execute A 1 SET acquired
    2 A failed
    3 A attempt
    6 A busy)",
                       bound)
                .kind,
            "orphaned");
}

TEST(DeadlockFreedom, WhereNothingHappensAnyMoreLeasesRunOutAllTheSame) {
  EXPECT_EQ(check_with(deadlock_freedom, R"(
    0 A attempt
    0 redis-1 execute A 1 SET acquired renewed:3ms
    0 A granted 10s
    0 A enter
    0 B start
    0 B attempt
    1 B busy
    2 A strike crash
    2 resource end finished)",
                       bound)
                .kind,
            "lost-wakeup");
}

TEST(DeadlockFreedom, AFreeLockThatNobodyTriesToTakeIsALostWakeup) {
  EXPECT_EQ(check_with(deadlock_freedom, R"(
    0 redis-1 execute A 1 SET acquired
    0 A granted 10s
    0 B start
    0 B attempt
    1 B busy
    2 A release
    2 redis-1 execute A 2 DEL released
    2 A released yes
    9 B attempt)",
                       bound)
                .kind,
            "lost-wakeup");
}

TEST(DeadlockFreedom, WhoWaitsForEverHasStoppedTryingHoweverOftenItFailed) {
  const std::string waits = R"(
    0 redis-1 execute A 1 SET acquired
    0 A granted 10s
    0 B start
    2 redis-1 execute A 2 DEL released
    2 A release
    2 A released yes
    3 B attempt
    3 B busy
    4 B attempt
    4 B failed
    5 )";
  EXPECT_EQ(check_with(deadlock_freedom, waits + "resource end finished", bound).kind, "lost-wakeup");
  EXPECT_EQ(check_with(deadlock_freedom, waits + "B attempt\n 90 B failed", bound).kind, "livelock");
}

TEST(DeadlockFreedom, ALeaseThatEndedWithoutAWordIsALostWakeupToo) {
  const std::string silent = R"(
    0 A attempt
    0 redis-1 execute A 1 SET acquired renewed:12ms
    0 A granted 10s
    0 B start
    0 B attempt
    1 B busy
    2 A strike crash
    30 B attempt)";
  EXPECT_EQ(check_with(deadlock_freedom, silent, "progress = \"11ms\"").kind, "lost-wakeup");
  EXPECT_EQ(check_with(deadlock_freedom, silent, "progress = \"10ms\"").kind, "orphaned");  // the lease still runs
}

TEST(DeadlockFreedom, AttemptsThatAllFailAreALivelock) {
  const Finding f = check_with(deadlock_freedom, R"(
    0 A start
    0 B start
    0 A attempt
    0 B attempt
    1 redis-1 execute A 1 SET acquired
    1 redis-2 execute B 1 SET acquired
    2 redis-1 execute A 2 DEL released
    2 redis-2 execute B 2 DEL released
    3 A busy
    3 B busy
    4 A attempt
    4 B attempt
    5 redis-1 execute A 3 SET acquired
    5 redis-2 execute B 3 SET acquired
    6 A busy)",
                               bound, 2);
  EXPECT_EQ(f.kind, "livelock");
}

TEST(DeadlockFreedom, TheKindIsTakenWhenTheBoundEndsAndNotAtTheNextEvent) {
  const std::string left_behind = R"(
    0 A attempt
    0 redis-1 execute A 1 HINCRBY acquired renewed:8ms
    0 A granted 10s
    0 B start
    0 B attempt
    1 B busy
    2 A release
    2 A released yes)";
  for (const char* next : {"\n 8 C start", "\n 8 B attempt", "\n 50 B attempt", ""}) {
    EXPECT_EQ(check_with(deadlock_freedom, left_behind + next + "\n 60 resource end finished", bound).kind, "orphaned")
        << next;
  }
}

TEST(DeadlockFreedom, TheKindIsTheSameWhereAnUnrelatedClientHappensToCome) {
  harness::Scenario s =
      harness::load_scenario(LOCKPROOF_SOURCE "/scenarios/documented/leases/same-thread-false-reentry.toml");
  s.clients.back().plan.start = seconds(5);
  EXPECT_EQ(tests::judged(tests::run(s), s, "deadlock-freedom").kind, "orphaned");
  s.clients.push_back(s.clients.back());
  s.clients.back().name = "client-3";
  s.clients.back().plan.start = milliseconds(10'200);
  EXPECT_EQ(tests::judged(tests::run(s), s, "deadlock-freedom").kind, "orphaned");
}

TEST(DeadlockFreedom, WhoHoldsTheLockMayTakeItsTime) {
  EXPECT_EQ(check_with(deadlock_freedom, R"(
    0 A granted 10s
    0 B start
    90 B busy
    91 A released yes
    95 B granted 10s)",
                       bound)
                .verdict,
            Verdict::not_found);
}

TEST(DeadlockFreedom, HoldsUntilItsLastRelease) {
  const std::string nested = R"(
    0 A granted 10s
    0 A granted 10s depth2
    0 B start
    1 A released yes depth1
    90 B busy)";
  EXPECT_EQ(check_with(deadlock_freedom, nested, bound).verdict, Verdict::not_found);
  EXPECT_EQ(check_with(deadlock_freedom, nested + "\n 90 A released yes\n 99 B busy", bound).verdict,
            Verdict::violated);
}

TEST(DeadlockFreedom, ACrashedHolderHasNothing) {
  EXPECT_EQ(check_with(deadlock_freedom, R"(
    0 A granted 10s
    0 B start
    1 A strike crash
    9 B busy)",
                       bound)
                .verdict,
            Verdict::violated);
}

TEST(DeadlockFreedom, APausedClientDoesNotWait) {
  EXPECT_EQ(check_with(deadlock_freedom, R"(
    0 A start
    0 A strike pause 90ms
    90 A heal pause
    91 A granted 10s)",
                       bound)
                .verdict,
            Verdict::not_found);
}

TEST(DeadlockFreedom, IsNotJudgedWhileAServerIsDown) {
  const std::string down = R"(
    0 A start
    0 redis-1 strike restart
    90 redis-1 heal restart
    91 A granted 10s)";
  EXPECT_EQ(check_with(deadlock_freedom, down, bound).verdict, Verdict::not_found);
  EXPECT_EQ(check_with(deadlock_freedom, down, bound, 3).verdict, Verdict::not_found);
}

TEST(DeadlockFreedom, IsNotJudgedOfAClientThatIsCutOffFromAServer) {
  for (const char* cut : {"A strike partition redis-1", "A strike partition", "redis-1 strike partition A"}) {
    const std::string text = std::string("0 A start\n 0 ") + cut + "\n 90 A busy";
    EXPECT_EQ(check_with(deadlock_freedom, text, bound).verdict, Verdict::not_found) << cut;
  }
  for (const char* cut : {"B strike partition redis-1", "redis-1 strike partition B"}) {
    const std::string text = std::string("0 A start\n 0 ") + cut + "\n 90 A busy";
    EXPECT_EQ(check_with(deadlock_freedom, text, bound).verdict, Verdict::violated) << cut;
  }
}

TEST(Bounds, APropertyWithoutItsBoundIsNotJudged) {
  const harness::History h = tests::parsed("0 A start\n 99999 A busy");
  for (const char* property : {"bounded-takeover", "deadlock-freedom", "fault-tolerance", "loss-notification"}) {
    const Finding f = tests::judged(h, tests::scenario(""), property);
    EXPECT_EQ(f.verdict, Verdict::not_found) << property;
    EXPECT_FALSE(f.judged) << property;
  }
  EXPECT_TRUE(tests::judged(h, tests::scenario("[judge]\nprogress = \"5ms\"\n"), "deadlock-freedom").judged);
}

TEST(Bounds, WhatIsNotJudgedMeetsEveryExpectationButOneOfAViolation) {
  Finding unjudged;
  unjudged.property = "deadlock-freedom";
  unjudged.judged = false;
  const auto met = [&](const char* expected) {
    return compare({unjudged}, harness::Expectations{{"deadlock-freedom", expected}}).front().met;
  };
  EXPECT_EQ(met("holds"), Agreement::yes);
  EXPECT_EQ(met("no-violation"), Agreement::yes);
  EXPECT_EQ(met("violated"), Agreement::no);
  EXPECT_EQ(met("orphaned"), Agreement::no);
  EXPECT_EQ(met("unknown"), Agreement::yes);
}

// ---- fault tolerance

const std::string one_is_down = R"(
    0 A start
    0 redis-1 strike restart
    90 A busy)";

TEST(FaultTolerance, RejectsALockThatNobodyGetsWhileAMinorityIsDown) {
  EXPECT_EQ(check_with(fault_tolerance, one_is_down, bound, 3).verdict, Verdict::violated);
  EXPECT_EQ(check_with(deadlock_freedom, one_is_down, bound, 3).verdict, Verdict::not_found);
}

TEST(FaultTolerance, AsksNothingWhileNoMajorityIsUp) {
  EXPECT_EQ(check_with(fault_tolerance, one_is_down, bound, 2).verdict, Verdict::not_found);
}

TEST(FaultTolerance, AcceptsALockThatIsTakenAllTheSame) {
  EXPECT_EQ(check_with(fault_tolerance, R"(
    0 A start
    0 redis-1 strike pause 90ms
    4 A granted 10s
    90 A released yes)",
                       bound, 3)
                .verdict,
            Verdict::not_found);
}

}  // namespace
}  // namespace lockproof::check::liveness_check_test
