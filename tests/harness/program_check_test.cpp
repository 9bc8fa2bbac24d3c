// SPDX-License-Identifier: Apache-2.0
// What programs alone are judged by: each of these properties rejects a history that breaks it, and accepts one that
// does not.
#include "harness/check/expectation.hpp"
#include "harness/scenario/faults/unpreventable.hpp"
#include "harness/scenario/file/parse.hpp"
#include "tests/harness/history_table.hpp"

namespace lockproof::check::program_check_test {
namespace {

harness::Scenario judged_by_answers() {
  harness::Scenario s = tests::scenario("[servers]\nredis = 1\n[judge]\nanswers = \"1s\"\n", "set-px-token");
  s.program.emplace();
  return s;
}

/// The kind, or nothing if it is not violated.
std::string found(Finding (*checker)(const harness::History&, const harness::Scenario&), const std::string& table) {
  const Finding finding = checker(tests::parsed(table), judged_by_answers());
  return finding.verdict == Verdict::violated ? finding.kind : "";
}

const std::string released_late = R"(
    0 redis-1 execute A 1 SET acquired
    0 A granted
    0 A enter
    5 A exit
    5 A release)";

TEST(Answers, AQuestionIsAnsweredWithinTheBound) {
  EXPECT_EQ(found(answers, released_late + "\n 1005 A released"), "");
  EXPECT_EQ(found(answers, released_late + "\n 1006 A released"), "release");
}

TEST(Answers, TimeDoesNotCountWhileAFaultIsOn) {
  const std::string paused = released_late + "\n 10 A strike pause 1\n 1900 A heal pause";
  EXPECT_EQ(found(answers, paused + "\n 2900 A released"), "");
  EXPECT_EQ(found(answers, paused + "\n 2901 A released"), "release");
}

TEST(Answers, WhoeverWaitsForTheLockOfAnotherIsNotLate) {
  const std::string waits = R"(
    0 redis-1 execute A 1 SET acquired
    0 A granted
    0 A enter
    1 B attempt)";
  EXPECT_EQ(found(answers, waits + "\n 5000 B busy"), "");
  EXPECT_EQ(found(answers, waits + "\n 10 redis-1 execute A 2 DEL released\n 10 A exit\n 1011 B busy"), "acquire");
}

TEST(Answers, WhereNothingWillHappenAnyMoreItWillNeverAnswer) {
  EXPECT_EQ(found(answers, released_late + "\n 6 A end finished"), "release") << "long before the bound is over";
  EXPECT_EQ(found(answers, released_late + "\n 6 A end horizon"), "");
  EXPECT_EQ(found(answers, released_late + "\n 6 A released\n 7 A end finished"), "");
}

TEST(Survives, AProgramEndsWhenItIsToldTo) {
  EXPECT_EQ(found(survives, "0 A attempt\n 1 A granted\n 2 A enter"), "");
  EXPECT_EQ(found(survives, "0 A attempt\n 1 A died ended-by-itself"), "died");
  harness::History history = tests::parsed("0 A attempt\n 1 A died said-what-there-is-not");
  history.events.back().value = 1;
  EXPECT_EQ(survives(history, judged_by_answers()).kind, "protocol");
}

TEST(GrantIsValid, TheKeyIsItsOwnAsItsWordArrives) {
  EXPECT_EQ(found(grant_is_valid, "0 redis-1 execute A 1 SET acquired\n 1 A granted"), "");
  EXPECT_EQ(found(grant_is_valid, "0 redis-1 execute B 1 SET acquired\n 1 A granted"), "not-held");
  EXPECT_EQ(found(grant_is_valid, "0 redis-1 execute A 1 SET acquired renewed:1ms\n 2 A granted"), "not-held")
      << "its lease is over";
}

TEST(GrantIsValid, TellsAKeyThatWasLostFromOneThatWasNeverGiven) {
  const auto what = [](const std::string& text) {
    return grant_is_valid(tests::parsed(text), judged_by_answers()).what;
  };
  const std::string lost = "the key that its attempt had made was not its own any more";
  EXPECT_NE(what("0 A attempt\n 0 redis-1 execute A 1 SET acquired renewed:1ms\n 2 A granted").find(lost),
            std::string::npos)
      << "its lease is over";
  EXPECT_NE(what("0 A attempt\n 0 redis-1 execute A 1 SET acquired\n 1 redis-1 execute B 1 DEL released\n 2 A granted")
                .find(lost),
            std::string::npos)
      << "another one deleted it";
  EXPECT_NE(what("0 A attempt\n 0 redis-1 execute A 1 SET acquired\n 1 A granted\n 1 redis-1 execute A 1 DEL released\n"
                 " 2 A attempt\n 3 A granted")
                .find("the servers had not given it"),
            std::string::npos)
      << "an earlier attempt made it";
}

TEST(Unpreventable, ALockThatIsGoneBeforeItsWordArrives) {
  harness::Scenario scenario = judged_by_answers();
  harness::Fault flush, pause;
  flush.kind = harness::FaultKind::flush, flush.target = "redis-1";
  pause.kind = harness::FaultKind::pause, pause.target = "client-1";
  EXPECT_TRUE(harness::is_unpreventable(scenario, "grant-is-valid", {flush}));
  EXPECT_FALSE(harness::is_unpreventable(scenario, "grant-is-valid", {pause})) << "it could have looked at its clock";
  EXPECT_FALSE(harness::is_unpreventable(scenario, "grant-is-valid", {}));
  EXPECT_FALSE(harness::is_unpreventable(scenario, "owner-release", {flush}));
  scenario.program.reset();
  EXPECT_FALSE(harness::is_unpreventable(scenario, "grant-is-valid", {flush})) << "of a lock it is only its deadline";
}

TEST(GrantIsValid, IsNotJudgedWhereTheServersShowNothingOfTheLock) {
  harness::History history = tests::parsed("0 A attempt\n 1 A granted\n 1 A enter");
  history.header.sees_servers = false;
  Finding unseen = grant_is_valid(history, judged_by_answers());
  unseen.property = "grant-is-valid";
  EXPECT_TRUE(cannot_be_seen(unseen));
  EXPECT_EQ(compare({unseen}, harness::Expectations{})[0].met, Agreement::yes) << "no run could find it broken so";
  history.events[1].left = harness::TimeLeft{Duration{}, "mono"};
  EXPECT_EQ(grant_is_valid(history, judged_by_answers()).kind, "expired") << "it says so itself";
}

TEST(GrantIsValid, WhatItPromisesIsNotOver) {
  const std::string held = "0 redis-1 execute A 1 SET acquired\n 1 A granted ";
  EXPECT_EQ(found(grant_is_valid, held + "1ms"), "");
  EXPECT_EQ(found(grant_is_valid, held + "0s"), "expired");
}

}  // namespace
}  // namespace lockproof::check::program_check_test
