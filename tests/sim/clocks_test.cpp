// SPDX-License-Identifier: Apache-2.0
#include "sim/world/clocks.hpp"

#include <gtest/gtest.h>

namespace lockproof::sim {
namespace {

using std::chrono::hours;

TEST(HostClocks, TheWallClockTicksInWholeMillisecondsRoundedDown) {
  HostClocks clocks({});
  EXPECT_EQ(clocks.wall_ms(Duration(0)), epoch.count());
  EXPECT_EQ(clocks.wall_ms(Duration(999)), epoch.count());
  EXPECT_EQ(clocks.wall_ms(Duration(1000)), epoch.count() + 1);
}

TEST(HostClocks, RoundsDownBefore1970Too) {
  HostClocks clocks({.wall = -milliseconds(epoch) - milliseconds(1), .mono = {}});
  EXPECT_EQ(clocks.wall_ms(Duration(0)), -1);
  EXPECT_EQ(clocks.wall_ms(Duration(999)), -1);
  EXPECT_EQ(clocks.wall_ms(Duration(1000)), 0);
}

TEST(HostClocks, AJumpMovesTheWallClockOnly) {
  HostClocks clocks({});
  const auto before = clocks.at(seconds(1));
  clocks.jump(hours(1));
  const auto after = clocks.at(seconds(1));
  EXPECT_EQ(after.wall_ms - before.wall_ms, 3'600'000);
  EXPECT_EQ(after.mono_us, before.mono_us);
  EXPECT_EQ(after.boot_us, before.boot_us);
}

TEST(HostClocks, AnInstantOfTheMonotonicClockComesWhenItShowsIt) {
  HostClocks clocks({.wall = {}, .mono = seconds(77)});
  const Mono due = clocks.mono(seconds(2)) + milliseconds(5);
  EXPECT_EQ(clocks.when(due), seconds(2) + milliseconds(5));
}

}  // namespace
}  // namespace lockproof::sim
