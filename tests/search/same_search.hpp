// SPDX-License-Identifier: Apache-2.0
// Two searches that must have seen the same.
#pragma once

#include "search/core/exploration.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::tests {

inline void expect_same_search(const sim::Exploration& one, const sim::Exploration& other) {
  EXPECT_EQ(one.complete, other.complete);
  EXPECT_EQ(one.states, other.states);
  EXPECT_EQ(one.transitions, other.transitions);
  EXPECT_EQ(one.terminal, other.terminal);
  EXPECT_EQ(one.depth, other.depth);
  EXPECT_EQ(one.acquired, other.acquired);
  EXPECT_EQ(one.contended, other.contended);
  EXPECT_EQ(one.struck, other.struck);
  EXPECT_EQ(one.of_budget, other.of_budget);
  EXPECT_EQ(one.judged, other.judged);
  ASSERT_EQ(one.broken.size(), other.broken.size());
  for (const auto& [way, broken] : one.broken) {
    ASSERT_TRUE(other.broken.contains(way)) << way.first << " " << way.second;
    EXPECT_EQ(broken.faults, other.broken.at(way).faults) << way.first << " " << way.second;
    EXPECT_EQ(broken.depth, other.broken.at(way).depth) << way.first << " " << way.second;
  }
}

}  // namespace lockproof::tests
