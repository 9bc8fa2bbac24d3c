// SPDX-License-Identifier: Apache-2.0
// What one process says of its search is what another one reads.
#include "harness/report/frontier.hpp"

#include <gtest/gtest.h>

namespace lockproof::harness::frontier_report_test {
namespace {

TEST(FrontierReport, IsReadAsItWasWritten) {
  FrontierReport searched{.algorithm = "a lock",
                          .topology = "1 server",
                          .scope = "2 clients x 1 round",
                          .measures = {"lease 10s", "work 6s"},
                          .assumptions = {"servers begin empty"},
                          .kinds = {"pause (client)", "evict", "crash"},
                          .max_faults = 2,
                          .searched_faults = 1,
                          .stopped = "the time limit of 1s was reached",
                          .vacuous = "nobody contended",
                          .not_tried = {{"crash", "no schedule has it"}},
                          .engine = "stateful",
                          .states = 12345678901,
                          .transitions = 22345678901,
                          .seconds = 1.25,
                          .properties = {},
                          .reproduce = "lockproof frontier 'a lock'"};
  searched.properties.push_back({.property = "mutual-exclusion",
                                 .enough = {{{"evict"}, "double-grant", 17, "out/evict.toml"}, {{}, "outlived", 3, ""}},
                                 .harmless = {{{"pause (client)"}, "out/harmless.toml"}, {{"crash"}, ""}},
                                 .vacuous = ""});
  searched.properties.push_back({"re-entrancy", {}, {}, "no two clients contend"});
  const std::vector<FrontierReport> all{searched, {.algorithm = "another", .topology = "3 servers"}};
  const std::vector<FrontierReport> read = frontiers_from_json(frontier_json(all));
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(frontier_json(read), frontier_json(all));
  EXPECT_EQ(frontier_markdown(read), frontier_markdown(all));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(frontier_text(read[i], Style(false)), frontier_text(all[i], Style(false)));
    EXPECT_EQ(read[i].reproduce, all[i].reproduce);
  }
  EXPECT_EQ(read[0].properties[0].harmless[0].file, "out/harmless.toml");
  EXPECT_EQ(read[0].states, 12345678901U);
}

FrontierReport unbroken(const std::vector<std::string>& kinds) {
  FrontierReport searched{.algorithm = "a lock", .topology = "1 server", .scope = "2 clients x 1 round"};
  searched.measures = {"lease 10s", "work 6s"};
  searched.kinds = kinds;
  searched.max_faults = searched.searched_faults = 1;
  searched.properties.push_back({"owner-release", {}, {}, ""});
  return searched;
}

TEST(FrontierReport, ARowSaysOnceWhatNoneOfALocksSearchesBreaks) {
  FrontierReport first = unbroken({"pause", "crash", "delay"}), second = unbroken({"pause", "crash", "delay"});
  first.not_tried = {{"pause", "nothing new"}, {"delay", "nothing new"}};
  second.not_tried = {{"delay", "nothing new"}};
  EXPECT_NE(frontier_markdown({first, second}).find("| `a lock` | – | – | – | – | pause, crash | delay |\n"),
            std::string::npos)
      << frontier_markdown({first, second});
  second.properties.push_back({"mutual-exclusion", {{{"crash"}, "double-grant", 3, ""}}, {}, ""});
  EXPECT_NE(frontier_markdown({first, second}).find("| `a lock` | crash | – | – | – | pause | delay |\n"),
            std::string::npos)
      << "whichever search broke it";
}

TEST(FrontierReport, SaysWithinWhatAPropertyIsNotBroken) {
  FrontierReport searched = unbroken({"pause", "crash"});
  EXPECT_NE(frontier_text(searched, Style(false))
                .find("not broken here: owner-release: by any one of pause, crash, within 2 clients x\n"
                      "  1 round, lease 10s, work 6s\n"),
            std::string::npos)
      << frontier_text(searched, Style(false));
  searched.stopped = "the time was over";
  searched.searched_faults = 0;
  EXPECT_NE(frontier_text(searched, Style(false)).find("owner-release: without a fault, within 2 clients"),
            std::string::npos);
}

TEST(FrontierReport, SaysOfAFaultThatWasNotTriedThatItWasNot) {
  FrontierReport searched = unbroken({"pause", "resend"});
  searched.not_tried.push_back({"resend", "every length is longer than a call's time-out"});
  const std::string text = frontier_text(searched, Style(false, 120));
  EXPECT_NE(text.find("not tried, every length is longer than a call's time-out: resend"), std::string::npos) << text;
  EXPECT_NE(text.find("by any one of pause, within"), std::string::npos) << text;
  EXPECT_NE(frontier_markdown({searched}).find("| pause | resend |"), std::string::npos);
  searched.not_tried.push_back({"pause", "no schedule has it"});
  EXPECT_NE(frontier_markdown({searched}).find("| – | pause, resend |"), std::string::npos);
}

}  // namespace
}  // namespace lockproof::harness::frontier_report_test
