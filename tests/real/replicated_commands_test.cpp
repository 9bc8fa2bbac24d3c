// SPDX-License-Identifier: Apache-2.0
// What a look at a replica shows has the author that it had on the master.
#include "real/program/replicated_commands.hpp"

#include <gtest/gtest.h>

#include <string>

namespace lockproof::real::replicated_commands_test {
namespace {

using harness::Change;
using harness::Effect;

Effect effect(Change change, const std::string& key = "lock") { return {change, "", key, std::nullopt}; }

const Command set({"SET", "lock", "x", "NX", "PX", "1000"}), del({"DEL", "lock"});

TEST(ReplicatedCommands, AChangeBelongsToTheCommandThatTheMasterRan) {
  ReplicatedCommands coming;
  coming.add(set, 0, {effect(Change::acquired), effect(Change::renewed)});
  coming.add(del, 0, {effect(Change::released)});
  coming.add(set, 1, {effect(Change::acquired), effect(Change::renewed)});
  const auto first = coming.shown({effect(Change::acquired), effect(Change::renewed), effect(Change::released)});
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].command, set);
  EXPECT_EQ(first[0].effects.size(), 2u);
  EXPECT_EQ(first[1].command, del);
  const auto second = coming.shown({effect(Change::acquired), effect(Change::renewed)});
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].client, 1);
}

TEST(ReplicatedCommands, AKeyThatRunsOutIsDeletedByTheMasterAlone) {
  ReplicatedCommands coming;
  coming.add(set, 0, {effect(Change::acquired)});
  EXPECT_EQ(coming.shown({effect(Change::acquired)}).at(0).client, 0);
  coming.add(set, 1, {effect(Change::expired), effect(Change::acquired)});
  const auto shown = coming.shown({effect(Change::released), effect(Change::acquired)});
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[0].client, harness::no_host);
  EXPECT_EQ(shown[1].client, 1);
}

TEST(ReplicatedCommands, ARemovalThatNeverComesDelaysNothing) {
  ReplicatedCommands coming;
  coming.add(del, 0, {effect(Change::released)});  // the replica's key had run out by itself
  coming.add(set, 1, {effect(Change::acquired)});
  EXPECT_EQ(coming.shown({effect(Change::acquired)}).at(0).client, 1);
}

TEST(ReplicatedCommands, AnotherMasterBringsAllAnew) {
  ReplicatedCommands coming;
  coming.add(set, 0, {effect(Change::acquired)});
  coming.forget();
  EXPECT_EQ(coming.shown({effect(Change::acquired)}).at(0).client, harness::no_host);
}

}  // namespace
}  // namespace lockproof::real::replicated_commands_test
