// SPDX-License-Identifier: Apache-2.0
// Durations of a scenario as ranges: how they are read, written, complained of, and drawn in runs.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "harness/input_error.hpp"
#include "harness/scenario/file/write.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::zones {
namespace {

harness::Window latency_of(const std::string& text) {
  return tests::scenario("[network]\nlatency = " + text + "\n").network.latency;
}

std::string complaint_of(const std::string& text) {
  try {
    (void)tests::scenario(text);
  } catch (const harness::InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Ranges, OfALatency) {
  EXPECT_EQ(latency_of("\"0ms..200ms\""), (harness::Window{{}, milliseconds(200), true}));
  EXPECT_EQ(latency_of("\"..1500us\""), (harness::Window{{}, Duration(1500), true}));
  EXPECT_EQ(latency_of("\"1ms..1ms\""), (harness::Window{milliseconds(1), milliseconds(1)})) << "nothing is left open";
  EXPECT_FALSE(latency_of("[\"0ms\", \"200ms\"]").is_range);
}

TEST(Ranges, AreWrittenAsTheyAreRead) {
  const harness::Scenario scenario = tests::scenario("[network]\nlatency = \"..200ms\"\n");
  const std::string text = harness::to_toml(scenario);
  EXPECT_NE(text.find("latency = \"0s..200ms\""), std::string::npos) << text;
  EXPECT_EQ(harness::parse_scenario("again.toml", text).network, scenario.network);
}

TEST(Ranges, OfAPauseInABudget) {
  const harness::Scenario scenario = tests::scenario(
      "[explore]\n[[explore.fault]]\nkind = \"pause\"\ntarget = \"client-1\"\n"
      "for = [\"1s..T+1ms\", \"3s\"]\n");
  const auto& forms = scenario.explore->budget.front().forms;
  ASSERT_EQ(forms.size(), 2U);
  EXPECT_EQ(forms[0].least, seconds(1));
  EXPECT_EQ(forms[0].lasts, scenario.algorithm->lease + milliseconds(1));
  EXPECT_FALSE(forms[1].least.has_value());
}

TEST(Ranges, ThatAreNoneAreRefused) {
  EXPECT_NE(complaint_of("[network]\nlatency = \"2ms..1ms\"\n").find("lower bound above"), std::string::npos);
  EXPECT_NE(complaint_of("[network]\nlatency = \"1ms..\"\n").find("no range"), std::string::npos);
  EXPECT_NE(complaint_of("[network]\nlatency = \"1..2ms\"\n").find("no range"), std::string::npos);
  const std::string pause = "[explore]\n[[explore.fault]]\nkind = \"pause\"\nfor = ";
  EXPECT_NE(complaint_of(pause + "\"3s..1s\"\n").find("no range"), std::string::npos);
  EXPECT_NE(complaint_of(pause + "\"0s..0s\"\n").find("no range"), std::string::npos);
  EXPECT_NE(complaint_of("[network]\nreplication = \"1ms..2ms\"\n").find("no duration"), std::string::npos);
}

TEST(Ranges, AreDrawnToTheMicrosecond) {
  const harness::Scenario scenario = tests::scenario("[network]\nlatency = \"1ms..2ms\"\n");
  std::set<std::int64_t> phases;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const harness::History history = tests::run(scenario, seed);
    const Duration sent = tests::sent(history, "client-1", "SET").at;
    const Duration way = tests::executed(history, "redis-1", "SET").at - sent;
    EXPECT_GE(way, milliseconds(1));
    EXPECT_LE(way, milliseconds(2));
    phases.insert(way.count() % 10);
  }
  EXPECT_GT(phases.size(), 4U);
}

}  // namespace
}  // namespace lockproof::zones
