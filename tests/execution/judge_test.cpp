// SPDX-License-Identifier: Apache-2.0
// Logs of incidents: times, what lines mean, whose connection is whose, and what of it is certain.
#include "execution/judge/judge.hpp"

#include <gtest/gtest.h>

#include "execution/judge/stamped_line.hpp"
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

}  // namespace
}  // namespace lockproof::execution
