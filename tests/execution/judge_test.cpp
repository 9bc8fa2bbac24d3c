// SPDX-License-Identifier: Apache-2.0
// Logs of incidents: times, what lines mean, whose connection is whose, and what of it is certain.
#include "execution/judge/judge.hpp"

#include <gtest/gtest.h>

#include "execution/judge/lines/held_pattern.hpp"
#include "execution/judge/lines/lock_name.hpp"
#include "execution/judge/lines/stamped_line.hpp"
#include "harness/input_error.hpp"

namespace lockproof::execution {
namespace {

using harness::Certainty;

std::int64_t at_us(std::string_view line) { return stamped_line_from(line).value().at_us; }

TEST(StampedLine, KnowsTheUsualTimes) {
  constexpr std::int64_t instant = 1'700'000'000'250'000;
  for (const char* const line :
       {"2023-11-14T22:13:20.250Z got lock", "2023-11-14 22:13:20,250 INFO", "[2023-11-14T23:13:20.250+01:00] x",
        "2023-11-14 17:13:20.25 -0500 x", "1700000000.250 x", "1700000000250 x", "2023/11/14 22:13:20.250000 x"}) {
    EXPECT_EQ(at_us(line), instant) << line;
  }
  EXPECT_EQ(stamped_line_from("2023-11-14T22:13:20.250Z got lock")->text, "got lock");
  EXPECT_EQ(stamped_line_from("2023-11-14T22:13:20.250Z got lock")->precision_us, 1000);
  EXPECT_EQ(stamped_line_from("2023-11-14T22:13:20Z got lock")->precision_us, 1'000'000);
}

TEST(StampedLine, RefusesWhatIsNoTime) {
  for (const char* const line : {"", "got lock", "2023-13-01T00:00:00Z x", "2023-11-14", "17000000001234 x", "12:00 x",
                                 "2023-11-14T22:13:20.250Zx"}) {
    EXPECT_FALSE(stamped_line_from(line)) << line;
  }
}

const LogText monitor{"monitor.log",
                      "1700000000.000000 [0 1.1.1.1:9] \"GET\" \"settings\"\n"
                      "1700000001.000000 [0 1.1.1.1:1] \"SET\" \"k\" \"a\" \"NX\" \"PX\" \"1000\"\n"
                      "1700000002.500000 [0 1.1.1.1:2] \"SET\" \"k\" \"b\" \"NX\" \"PX\" \"1000\"\n"
                      "1700000003.000000 [0 1.1.1.1:2] \"DEL\" \"k\"\n"
                      "1700000004.000000 [0 1.1.1.1:1] \"DEL\" \"k\"\n"
                      "1700000009.000000 [0 1.1.1.1:9] \"GET\" \"settings\"\n"};
const LogText late{"late.log", "1700000001.001 got lock\n1700000003.999 done\n"};
const LogText prompt{"prompt.log", "1700000002.501 got lock\n1700000002.999 done\n"};

Certainty overlap(const std::vector<LogText>& files, Duration clocks = milliseconds(500)) {
  return judge_logs({.files = files, .clocks = clocks}).report.properties.at(0).violated;
}

TEST(Judge, IsCertainOnlyWhereTheWorkersSaySo) {
  EXPECT_EQ(overlap({monitor, late, prompt}), Certainty::certain);
  EXPECT_EQ(overlap({monitor, late}), Certainty::possible);
  EXPECT_EQ(overlap({monitor}), Certainty::possible);
}

TEST(Judge, IsNotCertainIfClocksMayDifferByMore) {
  EXPECT_EQ(overlap({monitor, late, prompt}, seconds(5)), Certainty::possible);
}

TEST(Judge, FindsNothingWhereTheFirstLeavesInTime) {
  const LogText in_time{"monitor.log",
                        "1700000000.000000 [0 1.1.1.1:9] \"GET\" \"settings\"\n"
                        "1700000001.000000 [0 1.1.1.1:1] \"SET\" \"k\" \"a\" \"NX\" \"PX\" \"1000\"\n"
                        "1700000001.500000 [0 1.1.1.1:1] \"DEL\" \"k\"\n"
                        "1700000002.500000 [0 1.1.1.1:2] \"SET\" \"k\" \"b\" \"NX\" \"PX\" \"1000\"\n"
                        "1700000003.000000 [0 1.1.1.1:2] \"DEL\" \"k\"\n"
                        "1700000009.000000 [0 1.1.1.1:9] \"GET\" \"settings\"\n"};
  const LogText brief{"brief.log", "1700000001.001 got lock\n1700000001.499 done\n"};
  const Judgement judged = judge_logs({.files = {in_time, brief, prompt}, .clocks = milliseconds(500)});
  EXPECT_EQ(judged.report.worst(), Certainty::none);
  EXPECT_FALSE(judged.report.has_doubts);
  EXPECT_TRUE(judged.report.gaps.empty());
}

TEST(Judge, LinesThatDenyAreNoEntries) {
  const LogText denies{"late.log", "1700000001.001 could not get: lock not acquired\n1700000003.999 done\n"};
  const Judgement judged = judge_logs({.files = {monitor, denies, prompt}, .clocks = milliseconds(500)});
  EXPECT_EQ(judged.report.worst(), Certainty::possible);
  EXPECT_TRUE(judged.report.has_doubts);
}

TEST(Judge, RefusesLogsOfAnotherKind) {
  EXPECT_THROW((void)judge_logs({.files = {late}}), harness::InputError);
  EXPECT_THROW((void)judge_logs({.files = {monitor, {"x.txt", "the lock broke\n"}}}), harness::InputError);
  EXPECT_THROW((void)judge_logs({.files = {monitor, monitor}}), harness::InputError);
}

TEST(LockWords, NamesTheLockOfALine) {
  const auto name = [](std::string_view said) { return lock_words_in(said, "worker-1").name; };
  for (const char* const line :
       {"INFO acquired the lock orders", "Lock orders acquired", "got lock for 'orders' in 12 ms",
        "orders lock acquired", "acquired lock: orders", "acquired lock=orders token=77e01b5c",
        R"({"msg":"acquired","lock":"orders"})", "released the redlock orders",
        "lock acquired for key orders, attempt 3", "acquired lock on orders after 3s", "app.lock.name=orders got it"}) {
    EXPECT_EQ(name(line), "orders") << line;
  }
  EXPECT_EQ(name("acquired the lock of account 17 in 3 ms"), "account 17");
  EXPECT_EQ(name("Locked 'nightly report', lock will be held at most until 2026-05-04T02:00:10Z"), "nightly report");
  EXPECT_EQ(name("Task finished, lock 'nightly report' released"), "nightly report");
  for (const char* const line :
       {"got lock", "INFO got the lock", "lock acquired", "[main] lock acquired", "got lock, it says",
        "got lock after 12ms", "acquired lock in 3 seconds", "the distributed lock is acquired"}) {
    EXPECT_EQ(name(line), "") << line;
  }
}

TEST(LockWords, LeaveWhatTellsAnotherLock) {
  const auto wording = [](std::string_view said) { return lock_words_in(said, "worker-1").wording; };
  EXPECT_EQ(wording("[7] worker-1 got lock in 12 ms"), wording("[8] worker-1 got lock in 9 ms"));
  EXPECT_EQ(wording("Locked 'a', lock will be held until 2026-05-04T02:00:10.123Z"),
            wording("Locked 'b', lock will be held until 2026-05-04T02:00:21.000Z"));
  EXPECT_NE(wording("got lock, order 17"), wording("got lock, order 18"));
}

TEST(LockWords, MayBeKeys) {
  EXPECT_TRUE(may_be_key("orders", "lock:orders"));
  EXPECT_TRUE(may_be_key("prod/orders", "orders"));
  EXPECT_FALSE(may_be_key("order", "lock:orders"));
  EXPECT_FALSE(may_be_key("a", "a-b"));
}

TEST(HeldPattern, HasNamedGroups) {
  const HeldPattern pattern(R"((?:x|\()*(?<worker>pod-\w+) (?P<event>[A-Z(]+) (?<lock>\S+))");
  const auto held = pattern.match("12 pod-a ENTER orders");
  ASSERT_TRUE(held);
  EXPECT_EQ(held->worker + "/" + held->event + "/" + held->lock + "/" + held->time, "pod-a/ENTER/orders/");
  EXPECT_FALSE(pattern.match("pod-a waits"));
  EXPECT_THROW(HeldPattern("(?<tim>x)"), harness::InputError);
  EXPECT_THROW(HeldPattern("(x"), harness::InputError);
  EXPECT_THROW(HeldPattern("(?<time"), harness::InputError);
  EXPECT_FALSE(HeldPattern("(.*)*x").match(std::string(100'000, 'y')));
}

/// Of two workers: who got what when, and when the work had ended.
Certainty overlap_of(const std::string& one, const std::string& other, const LinePatterns& patterns = {}) {
  return judge_logs(
             {.files = {{"one.log", one}, {"other.log", other}}, .patterns = patterns, .clocks = milliseconds(100)})
      .report.properties.at(0)
      .violated;
}

TEST(SeveralLocks, AreJudgedByName) {
  const std::string nested =
      "1700000001 got lock a\n1700000002 got lock b\n1700000009 done with lock b\n1700000009 released lock b\n"
      "1700000020 done with lock a\n";
  EXPECT_EQ(overlap_of(nested, "1700000012 got lock b\n1700000015 done with lock b\n"), Certainty::none);
  EXPECT_EQ(overlap_of(nested, "1700000012 got lock a\n1700000015 done with lock a\n"), Certainty::certain);
}

TEST(SeveralLocks, AreNotMixedUpByEndsWithoutAName) {
  const std::string nested = "1700000001 got lock a\n1700000002 got lock b\n1700000005 released\n1700000020 done\n";
  EXPECT_NE(overlap_of(nested, "1700000012 got lock a\n1700000015 done\n"), Certainty::certain);
  EXPECT_NE(overlap_of(nested, "1700000012 got lock b\n1700000015 done\n"), Certainty::certain);
}

TEST(SeveralLocks, ThatNoLineNamesMakeNothingCertain) {
  const std::string twice = "1700000001 got lock\n1700000005 got lock\n1700000020 done\n";
  const std::string other = "1700000012 got lock\n1700000015 done\n";
  EXPECT_EQ(overlap_of(twice, other), Certainty::possible);
  EXPECT_EQ(overlap_of("1700000001 got lock\n1700000020 done\n", other), Certainty::certain);
  EXPECT_EQ(overlap_of("1700000001 got lock, order 17\n1700000020 done\n",
                       "1700000012 got lock, order 18\n1700000015 done\n"),
            Certainty::possible);
  EXPECT_EQ(
      overlap_of("1700000001 got lock 2f9d7c10\n1700000020 done\n", "1700000012 got lock 77e01b5c\n1700000015 done\n"),
      Certainty::possible);  // tokens, or names
  EXPECT_EQ(overlap_of("1700000001 got lock 2f9d7c10\n1700000020 done\n",
                       "1700000012 got lock 77e01b5c\n1700000015 done\n", {.enters = "got lock", .leaves = ""}),
            Certainty::certain);  // the reader knows
}

TEST(SeveralLocks, AreSelectedByTheirNames) {
  const LogText one{"one.log", "1700000001 got lock a\n1700000009 done with lock a\n"};
  const LogText other{"other.log", "1700000002 got lock a\n1700000008 done with lock a\n1700000010 got lock b\n"};
  const auto judged = [&](const std::string& key) {
    return judge_logs({.files = {one, other}, .patterns = {}, .key = key, .clocks = milliseconds(1)}).report.worst();
  };
  EXPECT_EQ(judged("a"), Certainty::certain);
  EXPECT_EQ(judged("b"), Certainty::none);
  EXPECT_THROW((void)judged("c"), harness::InputError);
}

TEST(SeveralLocks, OfTheServerNeedLinesThatNameTheirs) {
  std::string text = monitor.text;
  text.insert(text.find("1700000002"),
              "1700000002.000000 [0 1.1.1.1:1] \"SET\" \"other\" \"a\" \"NX\" \"PX\" \"900000\"\n");
  const LogText two{"monitor.log", text};
  const auto judged = [&](const std::string& lock, const std::string& enters = "") {
    const LogText first{"late.log", "1700000001.001 got lock" + lock + "\n1700000003.999 done\n"};
    const LogText second{"prompt.log", "1700000002.501 got lock" + lock + "\n1700000002.999 done\n"};
    return judge_logs({.files = {two, first, second},
                       .patterns = {.enters = enters, .leaves = ""},
                       .key = "k",
                       .clocks = milliseconds(500)})
        .report.worst();
  };
  EXPECT_EQ(judged(" k"), Certainty::certain);
  EXPECT_EQ(judged(""), Certainty::possible);
  EXPECT_EQ(judged(" other"), Certainty::possible);
  EXPECT_EQ(judged(" shop"), Certainty::possible);
  EXPECT_EQ(judged("", "got lock"), Certainty::certain);
}

}  // namespace
}  // namespace lockproof::execution
