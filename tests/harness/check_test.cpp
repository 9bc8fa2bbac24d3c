// SPDX-License-Identifier: Apache-2.0
// Each checker rejects a history that breaks its rule and accepts one that does not. Histories are text tables, one
// event a line: milliseconds, host, what, and then what that event needs (see `parsed`).
#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>

#include "harness/check/host_clocks.hpp"
#include "harness/scenario/names.hpp"
#include "tests/fixtures.hpp"
#include "tests/harness/history_table.hpp"

namespace lockproof::check::check_test {
namespace {

using tests::parsed;

const harness::Scenario quiet = tests::scenario("");

Finding check_with(Finding (*checker)(const harness::History&, const harness::Scenario&), const std::string& table,
                   const harness::Scenario& s = quiet) {
  return checker(parsed(table), s);
}

// ---- mutual exclusion

TEST(MutualExclusion, AcceptsHoldersOneAfterTheOther) {
  EXPECT_EQ(check_with(mutual_exclusion, R"(
    0 A granted 10s
    0 A enter
    5 A exit
    5 B granted 10s
    5 B enter
    9 B exit)")
                .verdict,
            Verdict::not_found);
}

TEST(MutualExclusion, TwoEntitledHoldersAreADoubleGrant) {
  const Finding f = check_with(mutual_exclusion, R"(
    0 A granted 10s
    0 A enter
    5 B granted 10s
    5 B enter)");
  EXPECT_EQ(f.verdict, Verdict::violated);
  EXPECT_EQ(f.kind, "double-grant");
  EXPECT_EQ(f.events, (std::vector<std::size_t>{1, 3}));
}

TEST(MutualExclusion, AHolderPastItsDeadlineIsOutlived) {
  EXPECT_EQ(check_with(mutual_exclusion, R"(
    0 A granted 4ms
    0 A enter
    4 B granted 10s
    4 B enter)")
                .kind,
            "outlived");
}

TEST(MutualExclusion, TheInstantBeforeTheDeadlineIsStillPromised) {
  EXPECT_EQ(check_with(mutual_exclusion, R"(
    0 A granted 5ms
    0 A enter
    4 B granted 10s
    4 B enter)")
                .kind,
            "double-grant");
}

TEST(MutualExclusion, WithoutADeadlineAHolderIsEntitledUntilItIsTold) {
  const std::string start = "0 A granted\n0 A enter\n";
  const std::string end = "9 B granted\n9 B enter\n";
  EXPECT_EQ(check_with(mutual_exclusion, start + end).kind, "double-grant");
  EXPECT_EQ(check_with(mutual_exclusion, start + "5 A lost not-notified\n" + end).kind, "double-grant");
  EXPECT_EQ(check_with(mutual_exclusion, start + "5 A lost notified\n" + end).kind, "outlived");
}

TEST(MutualExclusion, ARenewalMovesTheDeadline) {
  EXPECT_EQ(check_with(mutual_exclusion, R"(
    0 A granted 4ms
    0 A enter
    3 A renewed 4ms
    6 B granted 10s
    6 B enter)")
                .kind,
            "double-grant");
}

TEST(MutualExclusion, TheHoldersOwnClockDecides) {
  const char* const table = R"(
    0 A granted 10s by-wall
    0 A enter
    1 A strike clock-jump %
    5 B granted 10s
    5 B enter)";
  const auto with = [&](const std::string& jump) {
    std::string text = table;
    text.replace(text.find('%'), 1, jump);
    return check_with(mutual_exclusion, text).kind;
  };
  EXPECT_EQ(with("+1s"), "double-grant");
  EXPECT_EQ(with("+10s"), "outlived");
}

/// Which shows whole milliseconds: the holder reads 10 at 10.1 ms, whatever it last did between two ticks.
TEST(MutualExclusion, TheHoldersWallClockIsReadInWholeMilliseconds) {
  harness::History history = parsed(R"(
    0 A granted 10ms by-wall
    0 A enter
    10 B granted 10s
    10 B enter)");
  for (harness::Event& e : history.events) {
    const auto later = e.clocks.mono_us == 0 ? Duration(300) : Duration(100);
    e.at += later;
    e.clocks.mono_us += later.count();
    e.clocks.boot_us += later.count();
  }
  EXPECT_EQ(mutual_exclusion(history, quiet).kind, "outlived");
  for (harness::Event& e : history.events) e.at -= Duration(e.clocks.mono_us == 10'100 ? 200 : 0);
  EXPECT_EQ(mutual_exclusion(history, quiet).kind, "double-grant");  // 9.9 ms
}

TEST(MutualExclusion, ACrashedClientIsNotInside) {
  EXPECT_EQ(check_with(mutual_exclusion, R"(
    0 A granted 10s
    0 A enter
    3 A strike crash
    5 B granted 10s
    5 B enter)")
                .verdict,
            Verdict::not_found);
}

TEST(MutualExclusion, ADoubleGrantIsReportedBeforeAnEarlierOutlivedOne) {
  EXPECT_EQ(check_with(mutual_exclusion, R"(
    0 A granted 2ms
    0 A enter
    5 B granted 10s
    5 B enter
    6 C granted 10s
    6 C enter)")
                .kind,
            "double-grant");
}

TEST(MutualExclusion, IsUnknownWhereTheOwnerWordContradictsTheOrderOfEvents) {
  const Finding f = check_with(mutual_exclusion, "0 A granted 10s\n0 A enter others1\n");
  EXPECT_EQ(f.verdict, Verdict::unknown);
}

// ---- owner release

const char* const a_takes = R"(
    0 A attempt
    0 A send redis-1 1 SETNX
    1 redis-1 execute A 1 SETNX =1 acquired
    2 A granted
)";

TEST(OwnerRelease, AcceptsAReleaseByTheOwner) {
  EXPECT_EQ(check_with(owner_release, std::string(a_takes) + R"(
    3 A release
    3 A send redis-1 2 DEL
    4 redis-1 execute A 2 DEL =1 released)")
                .verdict,
            Verdict::not_found);
}

TEST(OwnerRelease, RejectsAReleaseOfAnothersLock) {
  EXPECT_EQ(check_with(owner_release, std::string(a_takes) + R"(
    3 B release
    3 B send redis-1 1 DEL
    4 redis-1 execute B 1 DEL =1 released)")
                .verdict,
            Verdict::violated);
}

TEST(OwnerRelease, AcceptsAReleaseThatChangedNothing) {
  EXPECT_EQ(check_with(owner_release, std::string(a_takes) + R"(
    3 B release
    3 B send redis-1 1 COMPARE-AND-DELETE
    4 redis-1 execute B 1 COMPARE-AND-DELETE =0)")
                .verdict,
            Verdict::not_found);
}

TEST(OwnerRelease, RejectsARenewalOfAnothersLock) {
  EXPECT_EQ(check_with(owner_release, std::string(a_takes) + R"(
    3 B renew
    3 B send redis-1 1 EXPIRE
    4 redis-1 execute B 1 EXPIRE =1 renewed)")
                .verdict,
            Verdict::violated);
}

TEST(OwnerRelease, AnExpiredLockBelongsToNobody) {
  EXPECT_EQ(check_with(owner_release, std::string(a_takes) + R"(
    3 B attempt
    3 B send redis-1 1 SETNX
    4 redis-1 execute B 1 SETNX =1 expired acquired
    5 B granted
    6 B release
    6 B send redis-1 2 DEL
    7 redis-1 execute B 2 DEL =1 released)")
                .verdict,
            Verdict::not_found);
}

/// B deletes what A took, after a strike that took this key from the server.
Finding after_losing(const std::string& key) {
  harness::History h = tests::parsed(std::string(a_takes) + R"(
    3 redis-1 strike power-cut
    4 B release
    4 B send redis-1 1 DEL
    5 redis-1 execute B 1 DEL =1 released)");
  for (harness::Event& e : h.events) {
    if (e.what == harness::What::strike) e.effects = {{harness::Change::evicted, "", key, std::nullopt}};
  }
  return owner_release(h, tests::scenario(""));
}

TEST(OwnerRelease, ALockIsLostWithItsOwnKeyAndWithNoOther) {
  EXPECT_EQ(after_losing("lock").verdict, Verdict::not_found);
  EXPECT_EQ(after_losing("lock:fence").verdict, Verdict::violated);
}

TEST(OwnerRelease, AnAttemptThatWasGrantedTakesTheKeyOver) {
  const std::string taken_over = std::string(a_takes) + R"(
    3 B attempt
    3 B send redis-1 1 GETSET
    4 redis-1 execute B 1 GETSET acquired
    5 B granted
    6 A release
    6 A send redis-1 2 DEL
    7 redis-1 execute A 2 DEL =1 released)";
  EXPECT_EQ(check_with(owner_release, taken_over).verdict, Verdict::violated);
}

TEST(OwnerRelease, AnAttemptThatWasNotGrantedDoesNot) {
  EXPECT_EQ(check_with(owner_release, std::string(a_takes) + R"(
    3 B attempt
    3 B send redis-1 1 GETSET
    4 redis-1 execute B 1 GETSET acquired
    5 B busy
    6 A release
    6 A send redis-1 2 DEL
    7 redis-1 execute A 2 DEL =1 released)")
                .verdict,
            Verdict::not_found);
}

TEST(OwnerRelease, ACommandThatRunsAfterItsAttemptHasFailedTakesNothingOver) {
  EXPECT_EQ(check_with(owner_release, std::string(a_takes) + R"(
    3 B attempt
    3 B send redis-1 1 GETSET
    4 B failed no-reply
    5 redis-1 execute B 1 GETSET acquired
    6 A release
    6 A send redis-1 2 DEL
    7 redis-1 execute A 2 DEL =1 released
    8 B attempt
    8 B send redis-1 2 SET
    9 redis-1 execute B 2 SET acquired
    9 B granted)")
                .verdict,
            Verdict::not_found);
}

// ---- bounded takeover

const harness::Scenario bounded = tests::scenario("[judge]\ntakeover = \"10ms\"\n");

TEST(BoundedTakeover, AcceptsATakeoverWithinTheBound) {
  EXPECT_EQ(check_with(bounded_takeover, "0 A strike crash\n9 B busy\n10 B granted\n", bounded).verdict,
            Verdict::not_found);
}
TEST(BoundedTakeover, RejectsOneThatCameLater) {
  EXPECT_EQ(check_with(bounded_takeover, "0 A strike crash\n11 B granted\n", bounded).verdict, Verdict::violated);
}
TEST(BoundedTakeover, RejectsARefusalPastTheBound) {
  EXPECT_EQ(check_with(bounded_takeover, "0 A strike crash\n11 B busy\n", bounded).verdict, Verdict::violated);
}
TEST(BoundedTakeover, IsUnknownWhereNobodyAskedLongEnough) {
  EXPECT_EQ(check_with(bounded_takeover, "0 A strike crash\n9 B busy\n", bounded).verdict, Verdict::unknown);
}
TEST(BoundedTakeover, NeedsABoundAndACrash) {
  EXPECT_EQ(check_with(bounded_takeover, "0 A strike crash\n99 B busy\n").verdict, Verdict::not_found);
  EXPECT_EQ(check_with(bounded_takeover, "99 B busy\n", bounded).verdict, Verdict::not_found);
}

// ---- not vacuous

TEST(Exercised, AcceptsAContendedRun) {
  EXPECT_EQ(check_with(exercised, "0 A attempt\n1 B attempt\n2 A granted\n2 A enter\n").verdict, Verdict::not_found);
}
TEST(Exercised, AFaultThatStrikesAClientWhichHasFinishedDidNotHappen) {
  const harness::Scenario paused =
      tests::scenario("[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nat = \"1ms\"\nfor = \"1s\"\n");
  const std::string contended = "0 A attempt\n 0 B attempt\n 0 A enter\n";
  EXPECT_EQ(check_with(exercised, contended + "1 A strike pause 1\n 1 A finished", paused).verdict, Verdict::not_found);
  const Finding late = check_with(exercised, contended + "0 A gave-up\n 1 A strike pause 1", paused);
  EXPECT_EQ(late.verdict, Verdict::violated);
  EXPECT_NE(late.what.find("struck too late"), std::string::npos) << late.what;
}

TEST(Exercised, AFaultThatStrikesAServerWhenAllClientsHaveFinishedDidNotHappen) {
  const harness::Scenario down =
      tests::scenario("[[fault]]\nkind = \"restart\"\ntarget = \"redis-1\"\nat = \"1ms\"\nfor = \"1s\"\n");
  const std::string two_left = "0 A attempt\n 0 B attempt\n 0 A enter\n 1 A finished\n 1 B finished\n";
  EXPECT_EQ(check_with(exercised, two_left + "1 redis-1 strike restart 1\n 2 C finished", down).verdict,
            Verdict::not_found);
  EXPECT_EQ(check_with(exercised, two_left + "1 C strike crash\n 2 redis-1 strike restart 1", down).verdict,
            Verdict::violated);
}

TEST(Exercised, RejectsARunInWhichNobodyAcquired) {
  EXPECT_EQ(check_with(exercised, "0 A attempt\n1 B attempt\n2 A busy\n").verdict, Verdict::violated);
}
TEST(Exercised, RejectsARunInWhichNobodyContended) {
  EXPECT_EQ(
      check_with(exercised, "0 A attempt\n1 A granted\n1 A enter\n2 A exit\n3 B attempt\n4 B granted\n4 B enter\n")
          .verdict,
      Verdict::violated);
}
TEST(Exercised, RejectsARunWhoseFaultNeverStruck) {
  const auto s = tests::scenario("[[fault]]\nkind = \"crash\"\ntarget = \"client-1\"\nat = \"1s\"\n");
  const std::string contended = "0 A attempt\n1 B attempt\n2 A granted\n2 A enter\n";
  EXPECT_EQ(check_with(exercised, contended, s).verdict, Verdict::violated);
  EXPECT_EQ(check_with(exercised, contended + "3 A strike 1 crash\n", s).verdict, Verdict::not_found);
}
TEST(Exercised, RejectsARunThatNeverCameToAStep) {
  EXPECT_EQ(check_with(exercised, "0 A attempt\n1 B attempt\n2 A enter\n3 A unmet step\n").verdict, Verdict::violated);
}

// ---- all of them

TEST(Judge, ACheckerThatThrowsGivesUnknown) {
  const Property broken{"broken", "", [](const harness::History&, const harness::Scenario&) -> Finding {
                          throw std::runtime_error("no idea");
                        }};
  const auto findings = judge({}, quiet, std::span(&broken, 1));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].verdict, Verdict::unknown);
  EXPECT_NE(findings[0].what.find("no idea"), std::string::npos);
}

TEST(Judge, NeverClaimsThatSomethingHoldsAfterOneRun) {
  for (const Finding& f : judge(tests::run(quiet), quiet)) EXPECT_EQ(f.verdict, Verdict::not_found) << f.property;
}

TEST(Judge, WhatNobodyWatchedIsUnknown) {
  harness::History seen = tests::run(quiet), unseen = seen;
  unseen.header.sees_servers = false;
  std::set<std::string> unknown;
  for (const Finding& f : judge(seen, quiet)) EXPECT_NE(f.verdict, Verdict::unknown) << f.property;
  for (const Finding& f : judge(unseen, quiet)) {
    if (f.verdict == Verdict::unknown) unknown.insert(f.property);
  }
  EXPECT_EQ(unknown, (std::set<std::string>{"owner-release", "re-entrancy", "renewal-rate"}))
      << "no bound of loss-notification is stated";
}

TEST(Judge, TheKindOfAStandstillNeedsTheServers) {
  const harness::Scenario bound = tests::scenario("[judge]\nprogress = \"5ms\"\n");
  harness::History history = parsed(R"(
    0 A start
    0 A attempt
    0 A send redis-1 1 SET
    1 redis-1 execute A 1 SET acquired
    2 A failed
    2 A gave-up
    2 B start
    2 B attempt
    3 B busy
    8 B attempt)");
  EXPECT_EQ(deadlock_freedom(history, bound).kind, "orphaned");
  history.header.sees_servers = false;
  const Finding f = deadlock_freedom(history, bound);
  EXPECT_EQ(f.verdict, Verdict::violated);
  EXPECT_EQ(f.kind, "");
  EXPECT_FALSE(f.kind_known);
}

}  // namespace
}  // namespace lockproof::check::check_test
