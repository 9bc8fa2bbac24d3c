// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/names.hpp"

#include <gtest/gtest.h>

namespace lockproof::harness::names_test {
namespace {

TEST(Durations, AreReadExactly) {
  EXPECT_EQ(duration_from("10s"), seconds(10));
  EXPECT_EQ(duration_from("1.5ms"), Duration(1500));
  EXPECT_EQ(duration_from("0.000001s"), Duration(1));
  EXPECT_EQ(duration_from("2min"), seconds(120));
  EXPECT_EQ(duration_from("1h"), seconds(3600));
  EXPECT_EQ(duration_from("-1s", true), -seconds(1));
  EXPECT_EQ(duration_from("+1s", true), seconds(1));
}

TEST(Durations, WhatIsNoneIsRefused) {
  for (const char* text :
       {"", "s", "10", "10 s", "1.5us", ".5s", "5.s", "1.2.3s", "-1s", "1d", "99999999999999999999s", "2562047.9h"}) {
    EXPECT_EQ(duration_from(text), std::nullopt) << text;
  }
}

TEST(Durations, AreWrittenInTheLargestUnitThatKeepsThemWhole) {
  EXPECT_EQ(to_text(seconds(10)), "10s");
  EXPECT_EQ(to_text(Duration(1500)), "1500us");
  EXPECT_EQ(to_text(milliseconds(-250)), "-250ms");
  EXPECT_EQ(to_text(Duration(0)), "0s");
  EXPECT_EQ(to_text(seconds(120)), "120s");
}

TEST(Rates, AreReadExactly) {
  EXPECT_EQ(rate_ppb_from("+1%"), 10'000'000);
  EXPECT_EQ(rate_ppb_from("-0.5%"), -5'000'000);
  EXPECT_EQ(rate_ppb_from("0.0000001%"), 1);
  EXPECT_EQ(rate_ppb_from("100%"), 1'000'000'000);
  for (const char* text : {"", "%", "1", "+%", "-+1%", "1s%", "1 %", "0.00000001%", "100.1%", "-101%", ".5%", "5.%"}) {
    EXPECT_EQ(rate_ppb_from(text), std::nullopt) << text;
  }
}

TEST(EventPlace, ReadsBackWhatItWrites) {
  for (const char* text : {"client-1 before DEL", "client-1 before DEL #2", "client-1 after GET round 3",
                           "redis-1 after compare-and-delete of client-2 #2 round 3",
                           "client-1 before SET to redis-2 #2", "client-1 after EVALSHA:c3f8 own to redis-3",
                           "client-1 enters", "client-1 exits round 2", "redis-1 after CLIENT of client-2 round 0"}) {
    const auto when = when_from(text);
    ASSERT_TRUE(when) << text;
    EXPECT_EQ(to_text(*when), text);
  }
}

TEST(EventPlace, WhatNamesNoEventIsRefused) {
  for (const char* text :
       {"", "client-1", "client-1 before", "client-1 enters now", "client-1 before DEL #0", "client-1 before DEL of",
        "client-1 before DEL to", "client-1 during DEL", "client-1 before DEL round x", "client-1 before DEL round -1",
        "client-1 before #2 #1", "client-1 before round #2 round 1"}) {
    EXPECT_FALSE(when_from(text)) << text;
  }
}

TEST(EventNames, ReadBackWhatTheyWrite) {
  for (const char* text : {"client-1 -> redis-1 SETNX", "redis-1 -> client-1 GET #3 round 2", "client-1 worker #4",
                           "client-1 watchdog", "client-1 time-out redis-1 GET", "client-2 jitter #2",
                           "client-1 -> redis-1 HELLO round 0", "fault", "heal #2"}) {
    const auto name = event_name_from(text);
    ASSERT_TRUE(name) << text;
    EXPECT_EQ(to_text(*name), text);
  }
}

TEST(Nearest, FindsATypoAndNotJustAnything) {
  const std::vector<std::string> choices{"set-px-token", "setnx-expire-del", "getset-timestamp"};
  EXPECT_EQ(nearest("set-px-tokn", choices), "set-px-token");
  EXPECT_EQ(nearest("redlock", choices), std::nullopt);
  EXPECT_EQ(suggestion("set-xp-token", choices), "; did you mean 'set-px-token'?");
  EXPECT_EQ(suggestion("zzzzzzzzzzz", {"a", "b"}), "; one of: a, b");
}

}  // namespace
}  // namespace lockproof::harness::names_test
