// SPDX-License-Identifier: Apache-2.0
// A search of a program in parts, which begins after fewer states than that of a lock: each of a program costs more.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "search/search.hpp"
#include "tests/programs/scenarios.hpp"

namespace lockproof::searched_test {
namespace {

std::set<sim::ViolationKind> kinds_of(const search::Answer& answer) {
  std::set<sim::ViolationKind> kinds;
  for (const auto& [way, broken] : answer.found.broken) kinds.insert(way);
  return kinds;
}

TEST(SearchedProgram, ItsPartsFindWhatItsWholeFinds) {
  std::string faults;
  for (const char* kind : {"crash\"\n", "flush\"\n", "half-open\"\n", "pause\"\nfor = [\"1s\", \"2500ms\"]\n"}) {
    faults += std::string("[[explore.fault]]\nkind = \"") + kind;
  }
  const harness::Scenario scenario = tests::of_program(
      "get_then_del.py",
      "[workload]\nclients = 2\nlease = \"2s\"\nretry = \"700ms\"\nwork = [\"hold 900ms\"]\n[network]\nlatency = "
      "\"5ms\"\n[judge]\nprogress = \"16s\"\nanswers = \"16s\"\n[explore]\nrounds = 1\nattempts = 3\nmax_faults = 1\n" +
          faults);
  search::Question question;
  question.scenario = scenario;
  question.bounds = scenario.explore.value();
  const search::Answer parts = search::answer(question, {});
  question.in_parts = false;
  const search::Answer whole = search::answer(question, {});
  EXPECT_EQ(whole.end, search::End::complete);
  EXPECT_EQ(parts.end, search::End::complete);
  EXPECT_GT(whole.found.states, 500u);
  EXPECT_LT(whole.found.states, 20'000u) << "the bounds of a lock: then this shows nothing";
  EXPECT_GT(parts.parts.size(), 5u) << "each form of a fault is one";
  EXPECT_GT(parts.drawn, 0u);
  EXPECT_EQ(kinds_of(parts), kinds_of(whole));
  EXPECT_TRUE(kinds_of(parts).contains({"owner-release", ""}));
}

}  // namespace
}  // namespace lockproof::searched_test
