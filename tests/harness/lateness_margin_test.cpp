// SPDX-License-Identifier: Apache-2.0
// Of a run on a machine that was late a violation counts if it exceeds what the lateness can explain. Each property has
// a history just inside that margin and one just outside.
#include <algorithm>

#include "harness/check/lateness.hpp"
#include "harness/scenario/file/parse.hpp"
#include "tests/harness/history_table.hpp"

namespace lockproof::check::lateness_margin_test {
namespace {

constexpr int late_ms = 6;  // in each run, at speedup 1

harness::Scenario of_program(const std::string& judge = "") {
  return harness::parse_scenario("test.toml",
                                 "[algorithm]\ncommand = [\"true\"]\n[servers]\nredis = 1\n[workload]\n"
                                 "clients = 3\nlease = \"100ms\"\n" +
                                     judge);
}

harness::Scenario bounded_by(const std::string& bound) {
  return tests::scenario("[servers]\nredis = 1\n[judge]\n" + bound + "\n");
}

/// "violated", or "excused" if the lateness may be the reason, or "no-violation".
std::string judged(const char* property, harness::History history, const harness::Scenario& scenario) {
  history.header.late_us = late_ms * 1000;
  const RealFindings findings = judge_real(history, scenario);
  const auto found = std::ranges::find(findings.all, property, &Finding::property);
  if (found == findings.all.end()) return "no such property";
  const bool excused = findings.excused.at(static_cast<std::size_t>(found - findings.all.begin()));
  return excused ? "excused" : std::string(name(found->verdict));
}

std::string judged(const char* property, const std::string& table,
                   const harness::Scenario& scenario = tests::scenario("[servers]\nredis = 1\n")) {
  return judged(property, tests::parsed(table), scenario);
}

std::string at(int ms) { return "\n " + std::to_string(ms) + " "; }

/// A's lease is over at 102; B has it from 112 on.
const std::string a_then_b = R"(
    0 A start
    0 A attempt
    0 A send redis-1 1 SET
    1 redis-1 execute A 1 SET acquired renewed:100ms
    2 A granted 100ms
    3 A enter
    110 B attempt
    110 B send redis-1 1 SET
    111 redis-1 execute B 1 SET expired acquired renewed:100ms
    112 B granted 100ms
    113 B enter)";

TEST(LatenessMargin, OfTwoInsideIsHowLateTheFirstOneMayHaveLeft) {
  // Two steps since its grant: it entered, and it left.
  EXPECT_EQ(judged("mutual-exclusion", a_then_b + at(113 + 2 * late_ms) + "A exit"), "excused");
  EXPECT_EQ(judged("mutual-exclusion", a_then_b + at(114 + 2 * late_ms) + "A exit"), "violated");
  EXPECT_EQ(judged("mutual-exclusion", a_then_b), "violated") << "it never leaves";
}

TEST(LatenessMargin, OfTwoInsideIsHowLateTheFirstOneMayHaveRenewed) {
  const auto renews_at = [&](int ms) {
    const std::string renewal = at(ms) + "A send redis-1 2 PEXPIRE" + at(ms) + "redis-1 execute A 2 PEXPIRE";
    return judged("mutual-exclusion", a_then_b + renewal + at(400) + "A exit");
  };
  EXPECT_EQ(renews_at(114), "excused") << "12 ms after its lease was over, in two steps";
  EXPECT_EQ(renews_at(150), "violated");
}

TEST(LatenessMargin, OfTwoInsideIsNoneIfACallTimedOutWithoutAFault) {
  const std::string timed_out =
      "\n 0 A start\n 0 A attempt\n 1 redis-1 execute A 1 SET acquired renewed:100ms\n"
      " 2 A granted 100ms\n 3 A enter\n 40 A time-out redis-1\n";
  const std::string b =
      "\n 110 B attempt\n 111 redis-1 execute B 1 SET expired acquired renewed:100ms\n"
      " 112 B granted 100ms\n 113 B enter\n 400 A exit";
  EXPECT_EQ(judged("mutual-exclusion", timed_out + b), "excused");
}

harness::Scenario with_pause(const char* of_whose_event) {
  harness::Scenario scenario = tests::scenario("[servers]\nredis = 1\n");
  harness::Fault pause{.kind = harness::FaultKind::pause, .target = "A"};
  pause.when = harness::EventPlace{.actor = of_whose_event};
  scenario.faults.push_back(pause);
  return scenario;
}

TEST(LatenessMargin, WhatAFaultHeldUpWasNotLate) {
  const std::string paused = a_then_b.substr(0, a_then_b.find("    110 B attempt")) + "50 A strike pause 1 65ms\n" +
                             a_then_b.substr(a_then_b.find("    110 B attempt")) + at(116) + "A exit";
  EXPECT_EQ(judged("mutual-exclusion", a_then_b + at(116) + "A exit"), "excused");
  EXPECT_EQ(judged("mutual-exclusion", paused, with_pause("A")), "violated") << "it stood still as B entered";
  EXPECT_EQ(judged("mutual-exclusion", paused, with_pause("B")), "excused")
      << "if A was late as the pause struck, it might have left before";
}

TEST(LatenessMargin, WhatAFaultTookWasNotLost) {
  const auto table = [](const char* fault) {
    return std::string(
               "0 A start\n 0 A attempt\n 1 redis-1 execute A 1 SET acquired renewed:100ms\n 2 A granted 100ms\n"
               " 3 A enter\n 20 redis-1 ") +
           fault +
           "\n 21 A send redis-1 2 GET\n 22 B attempt\n 23 redis-1 execute B 1 SET acquired renewed:100ms\n"
           " 24 B granted 100ms\n 24 B enter\n 90 A exit";
  };
  EXPECT_EQ(judged("mutual-exclusion", table("strike restart 1")), "violated");
}

TEST(LatenessMargin, OfALockOfWhichNothingIsSeenIsAFirstOneThatSendsNothing) {
  const auto unseen = [](const std::string& table) {
    harness::History history = tests::parsed(table);
    history.header.sees_servers = false;
    return judged("mutual-exclusion", std::move(history), of_program());
  };
  const std::string both = "0 A attempt\n 1 A granted\n 1 A enter\n 5 B attempt\n 9 B granted\n 9 B enter\n";
  EXPECT_EQ(unseen(both + "90 A exit"), "violated");
  EXPECT_EQ(unseen(both + "10 A send redis-1 2 UPDATE\n 90 A exit"), "excused") << "it may have prolonged its lock";
  EXPECT_EQ(unseen(both + "80 A send redis-1 2 UPDATE\n 90 A exit"), "violated");
}

TEST(LatenessMargin, OfARunIsThatOfItsClearestViolation) {
  const std::string again =
      at(114) + "A exit" + at(120) + "B exit" + at(121) + "redis-1 execute B 2 DEL released" + at(200) + "A start" +
      at(200) + "A attempt" + at(201) + "redis-1 execute A 5 SET acquired renewed:100ms" + at(202) + "A granted 100ms" +
      at(203) + "A enter" + at(310) + "B attempt" + at(311) + "redis-1 execute B 6 SET expired acquired renewed:100ms" +
      at(312) + "B granted 100ms" + at(313) + "B enter" + at(400) + "A exit";
  EXPECT_EQ(judged("mutual-exclusion", a_then_b + again), "violated") << "the first is excused, the second is not";
}

TEST(LatenessMargin, OfALockThatIsGivenBackIsHowLateTheCommandMayBe) {
  const auto given_back_at = [](int ms) {
    return judged("owner-release", a_then_b + at(ms) + "A exit" + at(ms) + "A release" + at(ms) +
                                       "A send redis-1 2 DEL" + at(ms + 1) + "redis-1 execute A 2 DEL released");
  };
  EXPECT_EQ(given_back_at(114), "excused") << "12 ms after its lease was over, in two steps";
  EXPECT_EQ(given_back_at(115), "violated");
}

TEST(LatenessMargin, OfALockThatItNeverHadIsNone) {
  EXPECT_EQ(judged("owner-release", a_then_b + "\n 113 C attempt\n 113 C busy\n 113 C release\n"
                                               " 113 C send redis-1 2 DEL\n 114 redis-1 execute C 2 DEL released"),
            "violated");
}

TEST(LatenessMargin, OfAnAccessIsHowLateItMayHaveCome) {
  const auto written_at = [](int ms) {
    return judged("resource-safety", a_then_b + at(114) + "B send resource 1 WRITE 0" + at(115) +
                                         "resource execute B 1 WRITE 0 =1" + at(ms - 1) + "A send resource 1 WRITE 0" +
                                         at(ms) + "resource execute A 1 WRITE 0 =2");
  };
  EXPECT_EQ(written_at(128), "excused") << "it was sent 12 ms after B's write, in two steps";
  EXPECT_EQ(written_at(129), "violated");
}

TEST(LatenessMargin, OfAGrantIsHowLateItsWordMayHaveArrived) {
  const auto granted_at = [](int ms, const std::string& left) {
    return judged(
        "grant-is-valid",
        "0 A start\n 0 A attempt\n 1 redis-1 execute A 1 SET acquired renewed:100ms" + at(ms) + "A granted " + left,
        of_program());
  };
  EXPECT_EQ(granted_at(100, "1ms"), "no-violation");
  EXPECT_EQ(granted_at(102 + 2 * late_ms, ""), "excused") << "its command, and its answer";
  EXPECT_EQ(granted_at(103 + 2 * late_ms, ""), "violated");
  EXPECT_EQ(judged("grant-is-valid", "0 A start\n 0 A attempt\n 1 A granted", of_program()), "violated")
      << "no server ever gave it";
}

/// A draws its token when its lease is over, and B has drawn one.
TEST(LatenessMargin, OfATokenThatIsDrawnLateIsHowLateItsCommandMayBe) {
  const harness::Scenario fencing = tests::scenario("[servers]\nredis = 1\n[resource]\nfencing = \"all\"\n");
  const auto drawn = [](int sent) {
    return "0 A start\n 0 A attempt\n 0 A send redis-1 1 SET\n 1 redis-1 execute A 1 SET acquired renewed:100ms\n"
           " 102 B attempt\n 102 B send redis-1 1 SET\n 102 redis-1 execute B 1 SET expired acquired renewed:100ms\n"
           " 103 B granted 100ms fence1" +
           at(sent) + "A send redis-1 2 INCR" + at(sent) + "redis-1 execute A 2 INCR" + at(sent) + "A granted fence2";
  };
  EXPECT_EQ(judged("fencing-order", drawn(104), fencing), "excused");
  EXPECT_EQ(judged("fencing-order", drawn(400), fencing), "violated");
}

TEST(LatenessMargin, OfASecondBeginIsHowLateItMayHaveAsked) {
  const harness::Scenario job = tests::scenario("[workload]\nclients = 3\nperiod = \"1min\"\nrounds = 2\n");
  const auto asked_at = [&](int ms) {
    return judged("once-per-period",
                  "0 A start\n 0 A attempt\n 1 redis-1 execute A 1 SET acquired renewed:100ms\n 2 A granted 100ms\n"
                  " 3 A enter\n 9 A exit\n 9 A release\n 10 redis-1 execute A 2 DEL released\n 4 B start" +
                      at(ms) + "B attempt" + at(ms + 1) + "redis-1 execute B 1 SET acquired renewed:100ms" +
                      at(ms + 2) + "B granted 100ms" + at(ms + 2) + "B enter",
                  job);
  };
  EXPECT_EQ(asked_at(10 + late_ms), "excused");
  EXPECT_EQ(asked_at(11 + late_ms), "violated");
}

TEST(LatenessMargin, OfABoundIsTenTimesTheLateness) {
  const int allowed = 5 + lateness_of_bounds * late_ms;
  const auto both = [&](const char* property, const harness::Scenario& scenario, const std::string& before,
                        const std::string& then) {
    EXPECT_EQ(judged(property, before + at(allowed) + then, scenario), "excused") << property;
    EXPECT_EQ(judged(property, before + at(allowed + 1) + then, scenario), "violated") << property;
  };
  both("bounded-takeover", bounded_by("takeover = \"5ms\""), "0 A strike crash", "B granted");
  both("deadlock-freedom", bounded_by("progress = \"5ms\""), "0 B start\n 0 B attempt", "B granted 10s");
  both("starvation-freedom", bounded_by("waiting = \"5ms\""), "0 A start\n 0 B start\n 0 B granted 10s",
       "A granted 10s");
  both("availability", bounded_by("available = \"5ms\""), "0 B start\n 0 redis-1 strike restart", "B granted 10s");
  both("loss-notification", bounded_by("notice = \"5ms\""),
       "0 redis-1 execute A 1 SET acquired\n 0 A granted\n 0 A enter\n 0 redis-1 execute B 1 DEL released", "A exit");
  both("answers", of_program("[judge]\nanswers = \"5ms\"\n"),
       "0 redis-1 execute A 1 SET acquired\n 0 A granted\n 0 A enter\n 0 A exit\n 0 A release", "A released");
  const harness::Scenario three = tests::scenario("[servers]\nredis = 3\n[judge]\nprogress = \"5ms\"\n", "redlock");
  for (const int ms : {allowed, allowed + 1}) {
    const std::string table = "0 redis-1 strike restart\n 0 B start\n 0 B attempt" + at(ms) + "B granted 10s";
    EXPECT_EQ(judged("fault-tolerance", tests::parsed(table, 3), three), ms == allowed ? "excused" : "violated");
  }
}

TEST(LatenessMargin, OfRenewalsIsTenTimesTheLatenessWithinALease) {
  const auto storm = [](int in_each_ms, int ms) {
    std::string table = "0 A attempt\n 0 redis-1 execute A 1 SET acquired renewed:100ms\n 0 A granted\n 0 A enter";
    for (int i = 0; i < in_each_ms * ms; ++i)
      table += at(1 + i / in_each_ms) + "redis-1 execute A 2 PEXPIRE renewed:100ms";
    return judged("renewal-rate", table);
  };
  EXPECT_EQ(storm(1, 90), "excused") << "41 within 40 ms";
  EXPECT_EQ(storm(2, 60), "violated") << "82 within 40 ms";
  EXPECT_EQ(storm(1, 40), "no-violation");
}

TEST(LatenessMargin, IsWideForWhatALateMachineDoesByItself) {
  EXPECT_EQ(judged("exercised", "0 A attempt\n 1 A busy"), "excused");
  EXPECT_EQ(
      judged("loss-notification", "0 redis-1 execute A 1 SET acquired\n 0 A granted\n 0 A enter\n 900 A lost notified",
             bounded_by("notice = \"5ms\"")),
      "excused")
      << "a false alarm";
}

TEST(LatenessMargin, IsNoneForWhatDependsOnNobodysTime) {
  EXPECT_EQ(judged("survives", "0 A attempt\n 1 A died ended-by-itself", of_program()), "violated");
}

TEST(LatenessMargin, OfWhatAClientDoesToItsOwnLockIsNoneUnlessACallTimedOutWithoutAFault) {
  const std::string held = "0 A start\n 0 redis-1 execute A 1 SET acquired\n 0 A granted\n 0 A enter\n 1 A exit\n";
  const std::string kept = "\n 50 A release\n 60 A released yes";
  const std::string slow = "2 A send redis-1 2 DEL\n 40 A time-out redis-1 2";
  EXPECT_EQ(judged("re-entrancy", held + kept), "violated");
  EXPECT_EQ(judged("re-entrancy", held + slow + kept), "excused");
  EXPECT_EQ(judged("re-entrancy", held + "2 A strike drop 1\n " + slow + kept), "violated") << "the fault did it";
  EXPECT_EQ(judged("re-entrancy", held + "1 A strike drop 1\n " + slow + kept), "excused") << "not of this call";
}

}  // namespace
}  // namespace lockproof::check::lateness_margin_test
