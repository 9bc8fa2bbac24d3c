// SPDX-License-Identifier: Apache-2.0
// Re-entrancy rejects a history in which a lock is freed before its last release, or still held after it.
#include "harness/scenario/file/parse.hpp"
#include "tests/harness/history_table.hpp"

namespace lockproof::check::re_entrancy_check_test {
namespace {

Finding check_with(Finding (*checker)(const harness::History&, const harness::Scenario&), const std::string& table,
                   const std::string& judge, int servers = 1) {
  const harness::Scenario s =
      tests::scenario("[servers]\nredis = " + std::to_string(servers) + "\n[judge]\n" + judge + "\n",
                      servers > 1 ? "redlock" : "set-px-token");
  return checker(tests::parsed(table, servers), s);
}

const std::string held_twice = R"(
    0 A attempt
    0 A send redis-1 1 HINCRBY
    0 redis-1 execute A 1 HINCRBY changed
    0 A granted 10s
    0 A enter
    1 A attempt
    1 A send redis-1 2 HINCRBY
    1 redis-1 execute A 2 HINCRBY changed
    1 A granted 10s depth2
    2 A release
    2 A send redis-1 3 UNLOCK)";

TEST(ReEntrancy, AcceptsAsManyReleasesAsAcquisitions) {
  EXPECT_EQ(check_with(re_entrancy, held_twice + R"(
    2 redis-1 execute A 3 UNLOCK changed
    2 A released yes depth1
    3 A exit
    3 A release
    3 A send redis-1 4 UNLOCK
    3 redis-1 execute A 4 UNLOCK changed released
    3 A released yes)",
                       "")
                .verdict,
            Verdict::not_found);
}

TEST(ReEntrancy, AReleaseThatFreesTheOuterLockFreesEarly) {
  const Finding f = check_with(re_entrancy, held_twice + R"(
    2 redis-1 execute A 3 UNLOCK changed
    2 A send redis-1 4 UNLOCK
    2 redis-1 execute A 4 UNLOCK changed released)",
                               "");
  EXPECT_EQ(f.kind, "freed-early");
}

TEST(ReEntrancy, ALateReleaseOfAnEarlierRoundFreesEarly) {
  EXPECT_EQ(check_with(re_entrancy, R"(
    0 A attempt
    0 A send redis-1 1 HINCRBY
    0 redis-1 execute A 1 HINCRBY changed
    0 A granted 10s
    0 A enter
    1 A exit
    1 A release
    1 A send redis-1 2 UNLOCK
    2 A released
    3 A attempt
    3 A granted 10s
    3 A enter
    4 redis-1 execute A 2 UNLOCK released)",
                       "")
                .kind,
            "freed-early");
}

TEST(ReEntrancy, AnAnsweredLastReleaseThatLeavesTheKeyIsStillHeld) {
  const std::string counted_twice = R"(
    0 A attempt
    0 redis-1 execute A 1 HINCRBY changed renewed:9ms
    0 A granted 10s
    0 A enter
    1 A exit
    1 A release
    1 A send redis-1 2 UNLOCK
    1 redis-1 execute A 2 UNLOCK changed)";
  EXPECT_EQ(check_with(re_entrancy, counted_twice + "\n 2 A released yes", "").kind, "still-held");
  EXPECT_EQ(
      check_with(re_entrancy, counted_twice + "\n 20 redis-1 execute B 1 GET expired\n 20 A released yes", "").verdict,
      Verdict::not_found);
  EXPECT_EQ(check_with(re_entrancy, counted_twice + "\n 2 A released not-ours", "").verdict, Verdict::not_found);
}

TEST(ReEntrancy, WhatAnotherReaderHasLeftIsNotStillHeld) {
  const std::string shared = R"(
    0 A attempt
    0 redis-1 execute A 1 HSET changed
    0 A granted 10s
    0 A enter
    1 B attempt
    1 redis-1 execute B 1 HSET changed
    1 B busy
    2 A exit
    2 A release
    2 A send redis-1 2 HDEL)";
  EXPECT_EQ(check_with(re_entrancy, shared + "\n 2 redis-1 execute A 2 HDEL changed\n 2 A released yes", "").verdict,
            Verdict::not_found);
  EXPECT_EQ(check_with(re_entrancy, shared + "\n 2 redis-1 execute A 2 HDEL\n 2 A released yes", "").kind, "still-held")
      << "the release has changed nothing";
}

TEST(ReEntrancy, WhatAnotherReaderHasLeftIsItsOwnIfItWasThereFirst) {
  const std::string shared = R"(
    0 B attempt
    0 redis-1 execute B 1 HSET changed
    0 B busy
    1 A attempt
    1 redis-1 execute A 1 HSET changed
    1 A granted 10s
    1 A enter
    2 A exit
    2 A release
    2 A send redis-1 2 HDEL
    2 redis-1 execute A 2 HDEL changed)";
  EXPECT_EQ(check_with(re_entrancy, shared + "\n 2 A released yes", "").verdict, Verdict::not_found);
  const std::string alone = "\n 2 redis-1 execute A 3 GET expired\n 3 A attempt\n 3 redis-1 execute A 4 HSET changed";
  const std::string again = alone + R"(
    3 A granted 10s
    3 A enter
    4 A exit
    4 A release
    4 A send redis-1 5 HDEL
    4 redis-1 execute A 5 HDEL changed
    4 A released yes)";
  EXPECT_EQ(check_with(re_entrancy, shared + "\n 2 A released yes" + again, "").kind, "still-held")
      << "the key that B had a part of is gone";
}

TEST(ReEntrancy, AKeyThatIsLeftOnAMinorityIsNotStillHeld) {
  EXPECT_EQ(check_with(re_entrancy, R"(
    0 A attempt
    0 redis-1 execute A 1 SET acquired
    0 redis-2 execute A 1 SET acquired
    0 A granted 10s
    1 redis-1 execute A 2 DEL released
    1 A released yes)",
                       "", 3)
                .verdict,
            Verdict::not_found);
}

}  // namespace
}  // namespace lockproof::check::re_entrancy_check_test
