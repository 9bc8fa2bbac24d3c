// SPDX-License-Identifier: Apache-2.0
// Reading what MONITOR and keyspace events say.
#include "real/services/redis/monitor_line.hpp"

#include <gtest/gtest.h>

#include "real/services/redis/keyspace_events.hpp"

namespace lockproof::tests::monitor_line_test {
namespace {

TEST(MonitorLine, HasAStampAPortAndTheWords) {
  const auto line = real::monitor_line_from(R"(1700000000.000123 [0 127.0.0.1:52724] "SET" "k" "v w" "NX")");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->stamp_us, 1'700'000'000'000'123);
  EXPECT_EQ(line->port, 52724);
  EXPECT_EQ(line->address, "127.0.0.1:52724");
  EXPECT_EQ(line->database, 0);
  EXPECT_EQ(line->words, (std::vector<Value>{"SET", "k", "v w", "NX"}));
}

TEST(MonitorLine, OfACallInsideAScriptHasNoPort) {
  const auto line = real::monitor_line_from(R"(1.5 [0 lua] "del" "k")");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->port, 0);
  EXPECT_EQ(line->address, "lua");
}

TEST(MonitorLine, IsUnescaped) {
  const auto line = real::monitor_line_from(R"(1.000000 [0 127.0.0.1:1] "EVAL" "a\n\"b\"\\ \x00\xff\t" "0")");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->words.at(1).bytes(), std::string("a\n\"b\"\\ \0\xff\t", 10));
}

TEST(MonitorLine, OtherLinesAreNone) {
  EXPECT_FALSE(real::monitor_line_from("OK"));
  EXPECT_FALSE(real::monitor_line_from(""));
  EXPECT_FALSE(real::monitor_line_from(R"(1.000000 [0 127.0.0.1:1] "unfinished)"));
  EXPECT_FALSE(real::monitor_line_from(R"(17000017000000000.012356 [0 127.0.0.1:4242] "PING")"));  // too late a year
}

TEST(TtlInACommand, IsFoundWhereverACommandHasOne) {
  EXPECT_EQ(real::ttl_in({"SET", "k", "v", "NX", "PX", "1500"}), milliseconds(1500));
  EXPECT_EQ(real::ttl_in({"set", "k", "v", "ex", "2"}), milliseconds(2000));
  EXPECT_EQ(real::ttl_in({"EXPIRE", "k", "30"}), milliseconds(30'000));
  EXPECT_EQ(real::ttl_in({"pexpire", "k", "30"}), milliseconds(30));
  EXPECT_EQ(real::ttl_in({"SETEX", "k", "3", "v"}), milliseconds(3000));
  EXPECT_FALSE(real::ttl_in({"SET", "PX", "5"}));
  EXPECT_FALSE(real::ttl_in({"DEL", "k"}));
}

TEST(KeyspaceEvent, IsAChangeOfItsKey) {
  using harness::Change;
  const std::pair<const char*, Change> cases[] = {
      {"set", Change::acquired},    {"expire", Change::renewed},  {"persist", Change::renewed},
      {"del", Change::released},    {"expired", Change::expired}, {"evicted", Change::evicted},
      {"hincrby", Change::changed}, {"hset", Change::changed},    {"a word of a later version", Change::changed},
  };
  for (const auto& [word, change] : cases) {
    EXPECT_EQ(real::effect_of(word, "k"), (harness::Effect{change, word, "k", std::nullopt})) << word;
  }
}

}  // namespace
}  // namespace lockproof::tests::monitor_line_test
