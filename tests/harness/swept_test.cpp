// SPDX-License-Identifier: Apache-2.0
// What a sweep says of its strikes.
#include "harness/report/swept.hpp"

#include <gtest/gtest.h>

#include "harness/report/text/style.hpp"

namespace lockproof::harness::swept_test {
namespace {

SweptReport::Strike strike(const std::string& event, int struck, int late, int found) {
  SweptReport::Strike one{.fault = "pause",
                          .place = event,
                          .event = event,
                          .second = {},
                          .runs = 3,
                          .struck = struck,
                          .late = late,
                          .found = {},
                          .sentences = {}};
  if (found > 0) {
    one.found[{"owner-release", ""}] = found;
    one.sentences[{"owner-release", ""}] = "it deleted another's";
  }
  return one;
}

TEST(Swept, ItsTableTellsWhatWasNotDecidedFromWhatWasNotFound) {
  SweptReport report;
  report.events = {"always", "sometimes", "never", "late", "late once", "absent", "elsewhere"};
  report.kinds = {"pause"};
  report.strikes = {strike("always", 3, 0, 3), strike("sometimes", 3, 0, 1), strike("never", 3, 0, 0),
                    strike("late", 3, 3, 0),   strike("late once", 3, 1, 0), strike("absent", 0, 0, 0)};
  group(report);
  const std::string text = swept_text(report, Style(false));
  const auto marked = [&](const std::string& event) {
    const std::size_t at = text.find("\n  " + event + " ");
    const std::string line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    return line[line.find_last_not_of(' ')];
  };
  EXPECT_EQ(marked("always"), 'X');
  EXPECT_EQ(marked("sometimes"), '~');
  EXPECT_EQ(marked("never"), '.');
  EXPECT_EQ(marked("late"), '?') << text;
  EXPECT_EQ(marked("late once"), '.');
  EXPECT_EQ(marked("absent"), '0');
  EXPECT_EQ(marked("elsewhere"), '-');
  EXPECT_NE(text.find("the machine was late each time (1 strikes)"), std::string::npos) << text;
}

TEST(Swept, APlaceThatWasNotStruckIsNotHarmless) {
  SweptReport report;
  for (int i = 0; i < 30; ++i) report.events.push_back("event " + std::to_string(i));
  report.kinds = {"pause"};
  for (int i = 0; i < 10; ++i) report.strikes.push_back(strike("event " + std::to_string(i), 1, 0, 0));
  EXPECT_NE(swept_text(report, Style(false)).find("at 30 other events nothing is violated by any fault"),
            std::string::npos)
      << "the others do not apply";
  report.left_out = 20;
  const std::string text = swept_text(report, Style(false));
  EXPECT_NE(text.find("at 10 other events nothing is violated by the faults that there was time for"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("at 20 other events nothing struck: no time was left"), std::string::npos) << text;
  EXPECT_NE(text.find("- does not apply, or no time was left for it"), std::string::npos) << text;
  EXPECT_EQ(exit_code_of(report), 2) << "what was not struck is not known to be harmless";
  report.left_out = 0;
  EXPECT_EQ(exit_code_of(report), 0);
}

TEST(Swept, SaysForHowLongProgramsWereFollowed) {
  SweptReport report;
  report.followed = "300ms";
  EXPECT_NE(swept_text(report, Style(false)).find("was followed for 300ms"), std::string::npos);
  EXPECT_NE(swept_json(report).find("\"followed\": \"300ms\""), std::string::npos);
}

TEST(Swept, NamesEachWayOnceWithItsFindingsBelow) {
  SweptReport report;
  report.events = {"one", "two"};
  report.kinds = {"pause"};
  report.strikes = {strike("one", 3, 0, 3), strike("two", 3, 0, 2)};
  group(report);
  ASSERT_EQ(report.groups.size(), 2u);
  report.groups[0].file = "out/finding-01.toml";
  report.groups[1].file = "out/finding-02.toml";
  const std::string text = swept_text(report, Style(false));
  EXPECT_LT(text.find("X violated"), text.find("  pause\n")) << "the legend stands above the table";
  EXPECT_NE(text.find("  violated  owner-release\n"
                      "      it deleted another's\n"
                      "      finding-01.toml  3 of 3  pause at one\n"
                      "      finding-02.toml  2 of 3  pause at two\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  lockproof real out/finding-01.toml\n"), std::string::npos) << text;
}

TEST(Swept, InVirtualTimeItSaysADigestInPlaceOfSeconds) {
  SweptReport report;
  report.references = 1;
  report.events = {"a"};
  report.kinds = {"pause"};
  report.strikes = {strike("a", 2, 0, 2)};
  group(report);
  report.groups.front().file = "found/finding-01.toml";
  report.traced = true;
  report.digest = "0123456789abcdef";
  report.seconds = 3;
  const std::string text = swept_text(report, Style(false));
  EXPECT_NE(text.find("a run without faults: 1 events"), std::string::npos) << text;
  EXPECT_NE(text.find("0 runs in virtual time, whose digest is 0123456789abcdef\n"), std::string::npos) << text;
  EXPECT_NE(text.find("lockproof real found/finding-01.toml --server traced"), std::string::npos) << text;
  const std::string json = swept_json(report);
  EXPECT_EQ(json.find("seconds"), std::string::npos) << json;
  const SweptReport again = swept_from_json(json);
  EXPECT_TRUE(again.traced);
  EXPECT_EQ(again.digest, report.digest);
}

TEST(Swept, ItsJsonIsReadBack) {
  SweptReport report;
  report.scenario = "lock";
  report.program = "redis-py 4";
  report.key = {.source = KeySource::contention, .name = "jobs:lock", .candidates = {}, .reasons = {}};
  report.references = 5;
  report.events = {"client-1 enters #1"};
  report.not_in_every = {"client-1 before GET free #1"};
  report.kinds = {"pause"};
  report.strikes = {strike("client-1 enters #1", 3, 1, 2), strike("client-1 exits #1", 1, 0, 0)};
  report.strikes.back().second = "crash at client-2 enters #1";
  report.runs = 11;
  report.left_out = 1;
  report.followed = "3s";
  group(report);
  const SweptReport again = swept_from_json(swept_json(report));
  EXPECT_EQ(swept_json(again), swept_json(report));
  EXPECT_EQ(swept_text(again, Style(false)), swept_text(report, Style(false)));
}

}  // namespace
}  // namespace lockproof::harness::swept_test
