// SPDX-License-Identifier: Apache-2.0
// Durations that are left open, beside latencies and lengths of pauses: jumps of clocks, and delays between attempts
// that a lock draws. At which bound a lock begins to break, by arithmetic, and that runs show it.
#include <gtest/gtest.h>

#include <string>

#include "harness/scenario/file/parse.hpp"
#include "search/zones/zone_engine.hpp"
#include "tests/search/zones/fixture.hpp"

namespace lockproof::zones {
namespace {

std::string exclusion_with(const Setting& setting, const std::string& more) {
  return verdict(answered(setting.scenario(more)), exclusion_name);
}

/// A holder is inside for 6.006 s, and its lease of 10 s ends 10.001001 s after it asked at the earliest.
TEST(SearchedRanges, OfAJumpOfTheServer) {
  const auto found = [](const std::string& by, Duration work) {
    const Setting setting{.work = work,
                          .other_faults = {"kind = \"clock-jump\"\ntarget = \"servers\"\nby = \"" + by + "\"\n"}};
    return exclusion_with(setting, "");
  };
  EXPECT_EQ(found("..3996ms", seconds(6)), "holds");
  EXPECT_EQ(found("..3997ms", seconds(6)), "double-grant");
  EXPECT_EQ(found("-20s..3996ms", Duration(6'000'000)), "holds");
  EXPECT_EQ(found("1s..3996ms", Duration(6'000'001)), "double-grant");
  EXPECT_EQ(found("-20s..-1ms", seconds(9)), "holds");
}

/// Its amount is at a bound where nothing else will do, and what is written down is a run of its own.
TEST(SearchedRanges, OfAJumpHasTheAmountThatBreaks) {
  const Setting setting{.other_faults = {"kind = \"clock-jump\"\ntarget = \"servers\"\nby = \"1s..3997ms\"\n"}};
  const search::Answer answer = answered(setting.scenario());
  const auto example = answer.counterexamples.find({exclusion_name, "double-grant"});
  ASSERT_NE(example, answer.counterexamples.end());
  ASSERT_EQ(example->second.scenario.faults.size(), 1U);
  EXPECT_EQ(example->second.scenario.faults.front().by, milliseconds(3997));
  EXPECT_FALSE(example->second.scenario.faults.front().least);
}

/// A lock that draws how long it waits after a refusal. Client-1 is inside from 2 ms on, and paused at 3 s for good.
/// Client-2 asks at 9 s, is refused at 9.002 s, and asks again, when the lease may be over: at 10.002 s.
std::string retried(int least_ms, int most_ms) {
  const std::string more =
      "[[client]]\nname = \"client-2\"\nstart = \"9s\"\nattempts = 2\n[[client]]\nname = \"client-1\"\n"
      "[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nat = \"3s\"\nfor = \"60s\"\n";
  harness::Scenario scenario = harness::parse_scenario(
      "drawing.toml", "[algorithm]\nfile = \"" LOCKPROOF_SOURCE "/tests/search/zones/jitter.lua\"\nleast = \"" +
                          std::to_string(least_ms) + "ms\"\nmost = \"" + std::to_string(most_ms) +
                          "ms\"\n[network]\nlatency = \"1ms\"\ntimeout = \"2s\"\n[workload]\nclients = 2\n"
                          "lease = \"10s\"\nacquire_timeout = \"for ever\"\nwork = [\"hold 6s\"]\n" +
                          more + "[explore]\nmax_faults = 0\n");
  scenario.explore->contention = harness::Contention::as_written;
  return verdict(answered(scenario), exclusion_name);
}

TEST(SearchedRanges, OfTheDelayThatALockDraws) {
  EXPECT_EQ(retried(900, 998), "holds");
  EXPECT_EQ(retried(900, 999), "outlived");
  EXPECT_EQ(retried(999, 999), "outlived");
}

}  // namespace
}  // namespace lockproof::zones
