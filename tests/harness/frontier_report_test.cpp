// SPDX-License-Identifier: Apache-2.0
// What one process says of its search is what another one reads.
#include "harness/report/frontier.hpp"

#include <gtest/gtest.h>

namespace lockproof::harness {
namespace {

TEST(FrontierReport, IsReadAsItWasWritten) {
  FrontierReport searched{.algorithm = "a lock",
                          .topology = "1 server",
                          .scope = "2 clients x 1 round",
                          .kinds = {"pause (client)", "evict", "crash"},
                          .max_faults = 2,
                          .searched_faults = 1,
                          .stopped = "the time limit of 1s was reached",
                          .vacuous = "nobody contended",
                          .never_struck = {"crash"},
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

}  // namespace
}  // namespace lockproof::harness
