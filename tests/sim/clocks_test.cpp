// SPDX-License-Identifier: Apache-2.0
#include "sim/world/clocks.hpp"

#include <gtest/gtest.h>

namespace lockproof::sim::clocks_test {
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

TEST(HostClocks, WhileAHostIsSuspendedItsMonotonicClockStandsAndTheOthersGoOn) {
  HostClocks clocks({.wall = {}, .mono = seconds(77)});
  const Mono due = clocks.mono(seconds(3));
  const Boot boot_due = InstantAccess::make<Boot>(Duration(seconds(77 + 4)).count());
  const auto before = clocks.at(seconds(2));
  EXPECT_EQ(before.mono_us, before.boot_us);
  clocks.stop_mono(seconds(2), seconds(7));
  EXPECT_EQ(clocks.at(seconds(5)).mono_us, before.mono_us);
  EXPECT_EQ(clocks.at(seconds(5)).boot_us - before.boot_us, 3'000'000);
  EXPECT_EQ(clocks.at(seconds(5)).wall_ms - before.wall_ms, 3'000);
  EXPECT_EQ(clocks.when(due), seconds(8));
  EXPECT_EQ(clocks.when(boot_due), seconds(4));
  clocks.go_on(seconds(7));
  EXPECT_EQ(clocks.at(seconds(9)).mono_us - before.mono_us, 2'000'000);
  EXPECT_EQ(clocks.at(seconds(9)).boot_us - before.boot_us, 7'000'000);
  EXPECT_EQ(clocks.when(due), seconds(8));
}

TEST(HostClocks, ASuspendedHostsClocksKeepTheirRate) {
  HostClocks clocks({});
  clocks.set_rate(seconds(0), -500'000'000);
  clocks.stop_mono(seconds(2), seconds(6));
  const Mono due = InstantAccess::make<Mono>(1'500'000);
  EXPECT_EQ(clocks.at(seconds(8)).boot_us, 4'000'000);
  EXPECT_EQ(clocks.at(seconds(8)).mono_us, 2'000'000);
  EXPECT_GE(clocks.mono(clocks.when(due)), due);
  EXPECT_LT(clocks.mono(clocks.when(due) - Duration(1)), due);
  EXPECT_NE(clocks.phase(seconds(3)), clocks.phase(seconds(5))) << "how long it will stand still makes a difference";
  clocks.set_rate(seconds(4), 0);
  EXPECT_EQ(clocks.at(seconds(8)).mono_us, 1'000'000 + 2'000'000);
  EXPECT_EQ(clocks.when(due), seconds(6) + milliseconds(500));
}

TEST(HostClocks, AtAnyRateTheyShowAnInstantFirstWhenTheySayThatTheyDo) {
  for (const std::int64_t rate : {-999'999'999, -999'999'000, -500'000'001, -3, 1, 7, 333'333'333, 1'999'999'999}) {
    HostClocks clocks({});
    clocks.set_rate(seconds(1), rate);
    for (const std::int64_t us : {1, 2, 3, 999, 1'000'000, 50'000'001}) {
      const Mono due = clocks.mono(seconds(1)) + Duration(us);
      const Duration when = clocks.when(due);
      EXPECT_GE(clocks.mono(when), due) << rate << ", " << us;
      EXPECT_LT(clocks.mono(when - Duration(1)), due) << rate << ", " << us;
    }
  }
  HostClocks slowest({});
  slowest.set_rate(seconds(0), -999'999'999);
  EXPECT_EQ(slowest.when(slowest.mono(seconds(0)) + std::chrono::hours(24'000)), Duration::max());
}

TEST(HostClocks, AnInstantOfTheMonotonicClockComesWhenItShowsIt) {
  HostClocks clocks({.wall = {}, .mono = seconds(77)});
  const Mono due = clocks.mono(seconds(2)) + milliseconds(5);
  EXPECT_EQ(clocks.when(due), seconds(2) + milliseconds(5));
}

}  // namespace
}  // namespace lockproof::sim::clocks_test
