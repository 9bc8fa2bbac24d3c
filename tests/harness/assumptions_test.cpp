// SPDX-License-Identifier: Apache-2.0
// What a search rests on is named: the durations on which its verdict turns, and what every run takes for granted.
#include "harness/report/text/assumptions.hpp"

#include "harness/scenario/names.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::harness::assumptions_test {
namespace {

constexpr const char* work = "[workload]\nlease = \"10s\"\nwork = [\"read\", \"hold 6s\", \"write\"]\n";

std::string slack(const std::string& toml, const std::string& lock = "set-px-token") {
  const auto slack = slack_of(tests::scenario(toml, lock));
  return slack ? to_text(*slack) : "none";
}

TEST(Assumptions, SlackIsWhatALeaseLeaves) {
  EXPECT_EQ(slack(work), "3996ms");  // as a search of pauses finds it
  EXPECT_EQ(slack(std::string(work) + "[network]\nlatency = [\"1ms\", \"3ms\"]\n"), "3986ms");
  EXPECT_EQ(slack(work, "memcached-add-cas"), "2996ms");  // its last second may be missing
  EXPECT_EQ(slack("[workload]\nlease = \"1s\"\nwork = [\"hold 2s\"]\n"), "-1s");
}

TEST(Assumptions, ALockWhoseLeaseDoesNotEndInTheWorkHasNoSlack) {
  EXPECT_EQ(slack("[workload]\nlease = \"1s\"\nwork = [\"hold for ever\"]\n"), "none") << "the work has no end";
  EXPECT_EQ(slack(work, "setnx-del"), "none");
  EXPECT_EQ(slack(work, "postgres-advisory"), "none");
  EXPECT_EQ(slack(work, "zookeeper-queue"), "none");
  EXPECT_EQ(slack("", "redisson"), "none");
  EXPECT_EQ(slack(work, "redisson"), "3996ms") << "a lease of one's own is not renewed";
}

TEST(Assumptions, NameTheDurationsAndWhatEveryRunTakesForGranted) {
  const Scenario s = tests::scenario(std::string(work) + "attempts = 3\n");
  EXPECT_EQ(measures_of(s), (std::vector<std::string>{"latency 1ms", "command time-out 2s", "lease 10s", "work 6s",
                                                      "slack 3.996 s (lease - work - messages)"}));
  const std::vector<std::string> all = assumptions_of(s, {});
  for (const char* const one :
       {"servers begin empty", "clocks and ticks start in phase", "a crash is final",
        "clients do not look at a deadline while they work", "clients give up after 3 attempts"}) {
    EXPECT_NE(std::ranges::find(all, one), all.end()) << one;
  }
  const Scenario watched = tests::scenario("", "redisson");
  EXPECT_EQ(measures_of(watched)[2], "lease 30s, renewed while its holder works");
  EXPECT_EQ(measures_of(tests::scenario("", "setnx-del"))[2], "no lease");
}

TEST(Assumptions, NameTheAmountsOfFaultsAlsoWhereTheFileNamesNone) {
  const Scenario s = tests::scenario(std::string(work) +
                                     "[explore]\n[[explore.fault]]\nkind = \"resend\"\n"
                                     "[[explore.fault]]\nkind = \"crash\"\n"
                                     "[[explore.fault]]\nkind = \"clock-rate\"\nrate = [\"+1%\", \"-2%\"]\n");
  const std::vector<std::string> all = assumptions_of(s, *s.explore);
  EXPECT_NE(std::ranges::find(all, "faults strike at events, with these amounts only: resend 1 s, 1.999 s; "
                                   "clock-rate +1%, -2%"),
            all.end())
      << fmt::format("{}", fmt::join(all, "\n"));
}

TEST(Assumptions, StandInLinesOfTheWidth) {
  const std::string text = in_lines({std::string(50, 'a'), "b c d e f", std::string(90, 'g')}, Style(false));
  EXPECT_EQ(text, "  " + std::string(50, 'a') + "; b c d e f;\n  " + std::string(90, 'g') + "\n");
}

}  // namespace
}  // namespace lockproof::harness::assumptions_test
