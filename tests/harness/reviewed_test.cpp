// SPDX-License-Identifier: Apache-2.0
// The table of a review's answers fits on a terminal.
#include "harness/report/answers/reviewed.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace lockproof::harness::reviewed_test {
namespace {

ReviewReport report_of(const std::string& lock, const std::string& lease) {
  ReviewReport report;
  report.asked = {Concern::two_at_once, Concern::runs_twice, Concern::stuck, Concern::data_lost};
  ReviewRow row;
  row.lock = lock;
  row.lease = lease;
  for (const Concern concern : report.asked) row.cells[concern].verdict = ReviewCell::Verdict::held;
  row.cells[Concern::data_lost].verdict = ReviewCell::Verdict::unknown;
  report.rows = {row};
  report.best = {0};
  return report;
}

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST(Reviewed, AWideTableHasOneLineOfHeads) {
  EXPECT_EQ(review_so_far(report_of("redlock", "30 s"), Style(false, 100)),
            "  lock     never two at once  never runs twice  never stuck  never data lost  lease\n"
            "  redlock  yes                yes               yes          unknown          30 s\n");
}

TEST(Reviewed, ANarrowTableHasTwoLinesOfHeads) {
  EXPECT_EQ(review_so_far(report_of("redlock", "30 s"), Style(false, 80)),
            "           never        never       never    never\n"
            "  lock     two at once  runs twice  stuck    data lost  lease\n"
            "  redlock  yes          yes         yes      unknown    30 s\n");
}

TEST(Reviewed, WhereLocksHaveLongNamesTheLeaseStandsBelow) {
  const std::string text = review_so_far(report_of("postgres-advisory-fenced", "30.004 s, its own"), Style(false, 80));
  EXPECT_EQ(text,
            "                            never        never       never    never\n"
            "  lock                      two at once  runs twice  stuck    data lost\n"
            "  postgres-advisory-fenced  yes          yes         yes      unknown\n"
            "      lease: 30.004 s, its own\n");
  EXPECT_LE(longest_line(text), 80u);
}

}  // namespace
}  // namespace lockproof::harness::reviewed_test
