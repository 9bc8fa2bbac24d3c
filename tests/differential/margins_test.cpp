// SPDX-License-Identifier: Apache-2.0
// Margins tell what a real run decides from what it does not.
#include <gtest/gtest.h>

#include <string>

#include "harness/scenario/file/parse.hpp"
#include "tests/differential/margins.hpp"

namespace lockproof::tests::margins_test {
namespace {

/// The first client stands still with a lease of five seconds, while the second one asks for it.
harness::Scenario paused_for(const std::string& pause) {
  return harness::parse_scenario(
      "margins.toml",
      "[algorithm]\nname = \"set-px-token\"\n[workload]\nlease = \"5s\"\nretry = \"300ms\"\nwork = [\"hold 1s\"]\n"
      "[[client]]\nname = \"client-2\"\nstart = \"1s\"\n[real]\nspeedup = 10\n"
      "[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nwhen = \"client-1 enters\"\nfor = \"" +
          pause + "\"\n");
}

std::string judged(const harness::Scenario& scenario) {
  const auto verdicts = decided(scenario);
  return verdicts ? shown(*verdicts) : "not decided";
}

TEST(Margins, AreWideAwayFromTheEdgeAndTooSmallOnIt) {
  EXPECT_EQ(judged(paused_for("2s")), "nothing found");
  EXPECT_EQ(judged(paused_for("9s")), "mutual-exclusion violated (outlived)");
  EXPECT_EQ(judged(paused_for("4200ms")), "not decided") << "it leaves at 5.2 s";
}

/// A server that takes its time to end is lost later, and then its holder has left in time.
TEST(Margins, AFaultMayBeTheOnlyThingThatIsLate) {
  const auto s = harness::parse_scenario(
      "margins.toml",
      "[algorithm]\nname = \"redisson\"\nwatchdog_timeout = \"6s\"\n[workload]\nrounds = 2\nstart = \"400ms\"\n"
      "lease = \"6s\"\nretry = \"300ms\"\nthink_time = \"1s\"\nwork = [\"hold 2s\", \"read\", \"hold 2s\", \"write\"]\n"
      "[judge]\nnotice = \"3s\"\n[run]\nhorizon = \"50s\"\n[real]\nspeedup = 10\n"
      "[[fault]]\nkind = \"restart\"\ntarget = \"redis-1\"\nwhen = \"redis-1 after redisson-lock of client-1\"\n"
      "after = \"1s\"\nfor = \"1200ms\"\n");
  EXPECT_EQ(judged(s), "not decided");
}

/// What had left when the client came to its event arrives before the server goes down, or does not.
TEST(Margins, AStrikeElsewhereRacesWithWhatHasLeft) {
  const auto s = harness::parse_scenario(
      "margins.toml",
      "[algorithm]\nname = \"redlock\"\n[workload]\nlease = \"10s\"\n[servers]\nredis = 3\n[real]\nspeedup = 10\n"
      "[[client]]\nname = \"client-2\"\nstart = \"1s\"\n"
      "[[fault]]\nkind = \"restart\"\ntarget = \"redis-2\"\nwhen = \"client-1 before SET #3\"\nfor = \"2s\"\n"
      "[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nwhen = \"redis-2 after SET of client-1\"\nfor = \"20s\"\n");
  EXPECT_EQ(judged(s), "not decided");
}

}  // namespace
}  // namespace lockproof::tests::margins_test
