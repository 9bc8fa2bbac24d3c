// SPDX-License-Identifier: Apache-2.0
// What a server finds when it starts again. Each test pins a sentence of docs/semantics/faults.md.
#include "sim/services/redis/disk.hpp"

#include <gtest/gtest.h>

namespace lockproof::sim::redis::disk_test {
namespace {

using harness::Persistence;

using std::chrono::milliseconds;

Dataset keys(const char* key) {
  Dataset all;
  all.put(key, {Value("x")});
  return all;
}

Dataset after_power_cut(Disk disk, milliseconds at, const Dataset& now) { return disk.end(at, now, true); }

TEST(Disk, OfEverySecondHasWhatIsASecondOld) {
  Disk disk(Persistence::aof_everysec);
  disk.write(milliseconds(100), keys("a"));
  disk.write(milliseconds(600), keys("b"));
  EXPECT_EQ(after_power_cut(disk, milliseconds(1'099), keys("b")), Dataset());
  EXPECT_EQ(after_power_cut(disk, milliseconds(1'100), keys("b")), keys("a"));
  EXPECT_EQ(after_power_cut(disk, milliseconds(1'600), keys("b")), keys("b"));
}

TEST(Disk, OfEverySecondHasEverythingAfterAnOrderlyEnd) {
  Disk disk(Persistence::aof_everysec);
  disk.write(milliseconds(100), keys("a"));
  EXPECT_EQ(disk.end(milliseconds(200), keys("a"), false), keys("a"));
  EXPECT_EQ(after_power_cut(disk, milliseconds(300), keys("a")), keys("a"));
}

TEST(Disk, OfEverySecondLosesNothingTwice) {
  Disk disk(Persistence::aof_everysec);
  disk.write(milliseconds(100), keys("a"));
  disk.write(milliseconds(1'500), keys("b"));
  EXPECT_EQ(disk.end(milliseconds(1'600), keys("b"), true), keys("a"));
  EXPECT_EQ(disk.end(milliseconds(1'700), keys("a"), true), keys("a"));
}

TEST(Disk, ACopyOfAMasterIsOnDiskAtOnce) {
  Disk disk(Persistence::aof_everysec);
  disk.write(milliseconds(100), keys("a"));
  disk.rewrite(keys("b"));
  EXPECT_EQ(after_power_cut(disk, milliseconds(100), keys("b")), keys("b"));
}

TEST(Disk, ASnapshotIsOfTheLastOrderlyEnd) {
  Disk disk(Persistence::rdb);
  EXPECT_EQ(after_power_cut(disk, milliseconds(1), keys("a")), Dataset());
  EXPECT_EQ(disk.end(milliseconds(2), keys("a"), false), keys("a"));
  EXPECT_EQ(after_power_cut(disk, milliseconds(3), keys("b")), keys("a"));
}

TEST(Disk, OfTheOthersHasEverythingOrNothing) {
  for (const bool without_warning : {false, true}) {
    EXPECT_EQ(Disk(Persistence::aof_always).end({}, keys("a"), without_warning), keys("a"));
    EXPECT_EQ(Disk(Persistence::none).end({}, keys("a"), without_warning), Dataset());
  }
}

}  // namespace
}  // namespace lockproof::sim::redis::disk_test
