// SPDX-License-Identifier: Apache-2.0
// The law of budgets, for bounds in time that are searched in every phase of polling: what a smaller budget breaks, a
// larger one breaks, or leaves open, however few zones there may be.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "search/phase_searches.hpp"
#include "sim/kernel/random_bits.hpp"
#include "tests/search/zones/fixture.hpp"

namespace lockproof::search {
namespace {

const std::vector<std::string> entries{"kind = \"crash\"\n",
                                       "kind = \"pause\"\ntarget = \"clients\"\nfor = [\"100ms\", \"1s\"]\n",
                                       "kind = \"break-connection\"\ntarget = \"clients\"\n",
                                       "kind = \"half-open\"\ntarget = \"client-1\"\n",
                                       "kind = \"delay\"\nby = \"1s\"\n",
                                       "kind = \"partition\"\ntarget = \"client-1\"\nfor = \"1s\"\n",
                                       "kind = \"evict\"\n",
                                       "kind = \"restart\"\nfor = \"1s\"\n",
                                       "kind = \"suspend\"\ntarget = \"client-1\"\nfor = \"1s\"\n",
                                       "kind = \"clock-jump\"\ntarget = \"redis-1\"\nby = \"-1s\"\n",
                                       "kind = \"client-pause\"\nfor = \"1s\"\n"};

/// So many faults of these entries at most.
struct Budget {
  std::vector<std::string> some{};
  int faults = 1;
};

harness::Scenario polling(const Budget& budget, const std::string& judged) {
  std::string text =
      "[workload]\nclients = 2\nlease = \"2s\"\nretry = \"1s\"\nwork = [\"read\", \"hold 500ms\", \"write\"]\n"
      "[judge]\n" +
      judged + "[explore]\nattempts = 40\nmax_faults = " + std::to_string(budget.faults) + "\n";
  for (const std::string& entry : budget.some) text += "[[explore.fault]]\n" + entry;
  return tests::scenario(text, "set-px-token");
}

harness::Scenario in_any_phase(const harness::Scenario& scenario) {
  return zones::in_any_phase(sim::as_written(sim::bounded(scenario, *scenario.explore, false)));
}

struct Found {
  std::set<std::string> violations{};  // properties
  bool is_open = false, is_whole = false;
};

/// With so few zones in each search.
Found found_with(const Budget& budget, const std::string& judged, std::uint64_t zones) {
  const harness::Scenario scenario = polling(budget, judged);
  const harness::Bounds& bounds = *scenario.explore;
  const harness::Scenario any = in_any_phase(scenario);
  PhaseSearches searches(any, bounds, {}, {}, zones);
  const auto whole = searches.run();
  Found found{.is_open = !searches.open().empty(), .is_whole = whole.has_value()};
  for (const auto& [kind, violation] : whole ? whole->broken : searches.shown()) found.violations.insert(kind.first);
  return found;
}

/// Its own entries and others; as many faults, or one more.
Budget larger(Budget budget, sim::RandomBits& bits) {
  for (std::uint64_t more = 1 + bits.below(2); more > 0; --more)
    budget.some.push_back(entries[bits.below(entries.size())]);
  budget.faults = std::min(budget.faults + static_cast<int>(bits.below(2)), 3);
  return budget;
}

TEST(BudgetsInTime, ALargerOneLosesNoViolation) {
  const std::vector<std::string> judged{"takeover = \"2500ms\"\n", "waiting = \"2s\"\n",
                                        "available = \"3s\"\nprogress = \"2500ms\"\n"};
  sim::RandomBits bits(46);
  int violations = 0, open = 0;
  for (int number = 0; number < 220; ++number) {
    Budget small{{entries[bits.below(entries.size())]}, 1 + static_cast<int>(bits.below(2))};
    if (bits.below(2) == 0) small.some.push_back(entries[bits.below(entries.size())]);
    const Budget large = larger(small, bits);
    const std::string& bound = judged[bits.below(judged.size())];
    constexpr std::uint64_t few = 600;
    const Found less = found_with(small, bound, few), more = found_with(large, bound, few);
    for (const std::string& property : less.violations) {
      ++violations;
      open += !more.violations.contains(property);
      EXPECT_TRUE(more.violations.contains(property) || more.is_open) << number << " " << property;
    }
  }
  EXPECT_GT(violations, 50);
  EXPECT_LT(open, violations / 4) << "hardly anything is lost in the middle of a search";
}

std::uint64_t size_of(const Budget& budget, const std::string& judged) {
  const harness::Scenario scenario = polling(budget, judged);
  return zones::explore_zones(in_any_phase(scenario), *scenario.explore, {}).states;
}

/// Each of these faults fits into a search, and all of them together do not.
TEST(BudgetsInTime, ALargeOneIsSearchedInParts) {
  const std::string bound = "takeover = \"2500ms\"\n";
  const std::vector<std::string> four{entries[0], entries[2], entries[6], entries[7]};
  std::uint64_t largest = 0;
  for (const std::string& entry : four) largest = std::max(largest, size_of({{entry}, 1}, bound));
  EXPECT_GT(size_of({four, 1}, bound), largest + 1);
  const Found found = found_with({four, 1}, bound, largest + 1);
  EXPECT_TRUE(found.is_whole);
  EXPECT_TRUE(found.violations.contains("bounded-takeover"));
  const Found none = found_with({four, 3}, bound, 50);
  EXPECT_FALSE(none.is_whole);
  EXPECT_TRUE(none.is_open) << "nothing is claimed";
}

}  // namespace
}  // namespace lockproof::search
