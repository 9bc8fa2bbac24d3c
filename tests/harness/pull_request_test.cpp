// SPDX-License-Identifier: Apache-2.0
#include "harness/report/pull_request/pull_request.hpp"

#include <gtest/gtest.h>

namespace lockproof::harness::pull_request_test {
namespace {

RunReport run(const std::string& file, check::Verdict verdict, const std::string& kind = "",
              const std::string& world = "simulated") {
  RunReport r;
  r.scenario = "ours";
  r.file = file;
  r.world = world;
  r.reproduce = "lockproof run " + file;
  r.properties = check::compare({{"mutual-exclusion", verdict, kind, "", {}}}, Expectations{});
  return r;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

constexpr const char* scenario =
    "title = \"ours\"\n"              // line 1
    "[expect]\n"                      // 2
    "explore = \"holds\"\n"           // 3
    "[expect.run]\n"                  // 4
    "mutual-exclusion = \"holds\"\n"  // 5
    "[twin]\n"                        // 6
    "without = \"faults\"\n";         // 7

TEST(Place, IsWhereTheExpectationIsStated) {
  const ScenarioSource written{"ours.toml", scenario, false};
  EXPECT_EQ(place_of(written, "simulated", "mutual-exclusion").line, 5);
  EXPECT_EQ(place_of(written, "simulated", "owner-release").line, 4);
  EXPECT_EQ(place_of(written, "explored", "owner-release").line, 3);
  EXPECT_EQ(place_of(written, "real", "owner-release").line, 2);
  EXPECT_EQ(place_of({"ours.toml", "title = \"\"\n", false}, "real", "owner-release").line, 1);
}

TEST(Place, OfADerivedTwinIsInItsScenario) {
  EXPECT_EQ(place_of({"ours.toml", scenario, true}, "simulated", "mutual-exclusion").line, 6);
}

TEST(Place, OfAMessageIsItsLine) {
  EXPECT_EQ(place_in("a.toml:12: what", "a.toml").line, 12);
  EXPECT_EQ(place_in("a.toml: what", "a.toml").line, 1);
  EXPECT_EQ(place_in("b.toml:12: what", "a.toml").line, 1);
}

TEST(Baseline, TellsWhatChangedWhatIsNewAndWhatIsGone) {
  const std::vector<RunReport> then{run("a.toml", check::Verdict::not_found),
                                    run("b.toml", check::Verdict::violated, "outlived"),
                                    run("c.toml", check::Verdict::not_found)};
  const std::vector<RunReport> now{run("a.toml", check::Verdict::not_found),
                                   run("b.toml", check::Verdict::violated, "double-grant"),
                                   run("d.toml", check::Verdict::not_found)};
  const BaselineReport found = compared_with("then.json", then, now);
  ASSERT_EQ(found.changes.size(), 3u);
  EXPECT_EQ(found.changes[0].file, "b.toml");
  EXPECT_EQ(found.changes[0].before, "violated (outlived)");
  EXPECT_EQ(found.changes[0].now, "violated (double-grant)");
  EXPECT_EQ(found.counts(), "1 verdict changed, 1 run new, 1 run gone");
  EXPECT_TRUE(found.differs());
}

TEST(Baseline, NewRunsAreNoDifference) {
  const BaselineReport found =
      compared_with("then.json", {run("a.toml", check::Verdict::not_found)},
                    {run("a.toml", check::Verdict::not_found), run("b.toml", check::Verdict::violated)});
  EXPECT_EQ(found.counts(), "1 run new");
  EXPECT_FALSE(found.differs());
}

TEST(Baseline, WorldsThatAreNotRunAreNotGone) {
  const BaselineReport found = compared_with(
      "then.json", {run("a.toml", check::Verdict::not_found), run("a.toml", check::Verdict::violated, "", "real")},
      {run("a.toml", check::Verdict::not_found)});
  EXPECT_EQ(found.counts(), "nothing changed");
  EXPECT_EQ(found.left_out, std::vector<std::string>{"real"});
}

TEST(Baseline, IsWhatCheckHasWritten) {
  const std::vector<RunReport> runs{run("a.toml", check::Verdict::violated, "outlived")};
  const std::vector<RunReport> read = reports_from_json(verdicts_json(runs));
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(compared_with("then.json", read, runs).counts(), "nothing changed");
}

PullRequest hostile() {
  const std::string file = "a`,b|<img src=x>.toml";
  PullRequest r;
  r.runs = {run(file, check::Verdict::violated, "outlived")};
  r.runs[0].properties[0].finding.what = "100 %\n::error::forged <b>| `x`";
  r.unreadable = {{"c.toml", "c.toml:3: what: a, b"}};
  r.written = {{file, {file, "[expect]\n", false}}};
  return r;
}

TEST(Annotations, CanNotBeForged) {
  const std::string text = github_annotations(hostile());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
  EXPECT_TRUE(has(text, "::error file=c.toml,line=3,title=lockproof%3A no scenario::c.toml:3: what: a, b\n")) << text;
  EXPECT_TRUE(has(text, "file=a`%2Cb|<img src=x>.toml,line=1,title=lockproof%3A ours%2C simulated::")) << text;
  EXPECT_TRUE(has(text, "100 %25%0A::error::forged")) << text;
}

TEST(Summary, HasNoMarkupFromAFile) {
  const std::string text = summary_markdown(hostile());
  EXPECT_FALSE(has(text, " <b>")) << text;
  EXPECT_TRUE(has(text, "\\<b\\>\\| \\`x\\`")) << text;
  EXPECT_FALSE(has(text, "\n::error")) << text;
  EXPECT_TRUE(has(text, "## lockproof: 0 of 1 runs as expected")) << text;
}

}  // namespace
}  // namespace lockproof::harness::pull_request_test
