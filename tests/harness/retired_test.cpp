// SPDX-License-Identifier: Apache-2.0
// Who writes a retired word is told its new name. One that files may still say is read.
#include "harness/scenario/retired.hpp"

#include <gtest/gtest.h>

#include "harness/report/verdicts.hpp"
#include "harness/scenario/names.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::harness::retired_test {
namespace {

TEST(RetiredWords, AreToldTheirNewNames) {
  for (const auto& [old, now, read] : retired_words()) {
    EXPECT_EQ(new_name_of(old), now);
    EXPECT_EQ(suggestion(old, {"lease", std::string(now), "retry"}),
              "; '" + std::string(old) + "' is now called '" + std::string(now) + "'");
  }
}

TEST(RetiredWords, AreNothingWhereTheNewNameIsNoChoice) {
  for (const auto& [old, now, read] : retired_words()) {
    EXPECT_EQ(suggestion(old, {"lease"}).find("is now called"), std::string::npos) << old;
  }
}

TEST(RetiredWords, AreReadAsTheNewOnesWhereFilesOfTheVersionBeforeSayThem) {
  for (const auto& [old, now, read] : retired_words()) {
    const bool is_read = read == StillRead::in_files;
    EXPECT_EQ(current_word(old), is_read ? now : old);
    const std::string in_quotes = "run = \"" + std::string(old) + "\"\n";
    EXPECT_EQ(hint_on_old_words(in_quotes).find("'" + std::string(now) + "'") != std::string::npos, is_read) << old;
    EXPECT_EQ(hint_on_old_words("# " + std::string(old)), "");
  }
  const Scenario s = tests::scenario("[expect]\nrun = \"not-found\"\nreal = { exercised = \"not-found\" }\n");
  EXPECT_EQ(s.expect.run->at("mutual-exclusion"), "no-violation");
  EXPECT_EQ(s.expect.real->at("exercised"), "no-violation");
}

TEST(RetiredWords, AreReadInResultsOfTheVersionBefore) {
  RunReport report;
  report.properties = {{{"exercised", check::Verdict::not_found, "", "", {}}, "no-violation", check::Agreement::yes}};
  const std::string now = verdicts_json({report});
  std::string before = now;
  for (std::size_t at; (at = before.find("no-violation")) != std::string::npos;) before.replace(at, 12, "not-found");
  EXPECT_NE(before, now);
  EXPECT_EQ(verdicts_json(reports_from_json(before)), now);
}

TEST(RetiredWords, HaveNewNamesThatAreNotRetired) {
  for (const RetiredWord& word : retired_words()) EXPECT_EQ(new_name_of(word.now), "") << word.old;
}

}  // namespace
}  // namespace lockproof::harness::retired_test
