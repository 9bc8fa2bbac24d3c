// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "execution/sweep.hpp"

namespace lockproof::tests {
namespace {

using execution::order_in_rounds;

TEST(SweepOrder, GoesRoundByRoundOverTheKinds) {
  const std::vector<std::string> kinds{"pause", "pause", "pause", "pause", "flush", "flush", "flush", "flush"};
  EXPECT_EQ(order_in_rounds(kinds), (std::vector<std::size_t>{0, 4, 2, 6, 1, 5, 3, 7}));
}

TEST(SweepOrder, MakesEachStrikeOnceWhateverTheNumbers) {
  for (std::size_t few = 0; few < 9; ++few) {
    std::vector<std::string> kinds(few, "crash");
    kinds.resize(few + 37, "delay");
    std::vector<std::size_t> order = order_in_rounds(kinds);
    const std::size_t beginning = static_cast<std::size_t>(std::count_if(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(2 * few), [&](std::size_t i) { return i < few; }));
    EXPECT_EQ(beginning, few);
    std::ranges::sort(order);
    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
    EXPECT_EQ(order.size(), kinds.size());
  }
}

}  // namespace
}  // namespace lockproof::tests
