// SPDX-License-Identifier: Apache-2.0
// Each property that zones judge: a subject that breaks it and one that does not, edges by arithmetic, and a run that
// shows what breaks.
#include <gtest/gtest.h>

#include "tests/search/zones/fixture.hpp"

namespace lockproof::zones {
namespace {

const std::string sources = LOCKPROOF_SOURCE;

/// Two clients of a lock in Lua.
struct InLua {
  std::string file;  // below the folder of all sources
  Duration pause = seconds(11);
  std::string work = R"("read", "hold 6s", "write")", more{};

  [[nodiscard]] harness::Scenario scenario() const {
    return harness::parse_scenario(
        "test.toml",
        "[algorithm]\nfile = \"" + sources + "/" + file + "\"\n[workload]\nclients = 2\nlease = \"10s\"\n" +
            "acquire_timeout = \"for ever\"\nwork = [" + work + "]\n" + more +
            "[explore]\nmax_faults = 1\n[[explore.fault]]\nkind = \"pause\"\ntarget = \"clients\"\nfor = \"" +
            harness::range_text({}, pause) + "\"\n");
  }
};

/// A holder writes at the latest so long after its command has run: the reply, the pause, two accesses, of which the
/// write needs one message, and the hold. A rival reads at the earliest a lease, a reply and a message after it.
TEST(ZoneProperties, ResourceSafetyHasTheEdgeOfArithmetic) {
  const std::string property = "resource-safety";
  for (const Duration most : {milliseconds(1), milliseconds(200)}) {
    Setting setting{.work = seconds(40), .most_latency = most};
    setting.lease = setting.work + setting.pause + 4 * most - 2 * setting.least_latency;
    EXPECT_EQ(kinds_of(explored(setting.scenario()), property), Kinds());
    const Kinds violated{{{property, ""}, 1}};
    Setting longer = setting;
    longer.pause += Duration(1);
    EXPECT_EQ(kinds_of(explored(longer.scenario()), property), violated);
    setting.lease -= milliseconds(1);
    EXPECT_EQ(kinds_of(explored(setting.scenario()), property), violated);
  }
}

/// A deadline counts from the command's leaving; the grant comes with the reply, behind a pause. At the deadline itself
/// it is over.
TEST(ZoneProperties, AGrantHasTheEdgeOfArithmetic) {
  const std::string property = "grant-is-valid";
  Setting setting{.work = seconds(1), .least_latency = {}, .most_latency = milliseconds(200)};
  setting.lease = setting.pause + 2 * setting.most_latency;
  EXPECT_EQ(kinds_of(explored(setting.scenario()), property), Kinds({{{property, "expired"}, 1}}));
  setting.pause -= Duration(1);
  EXPECT_EQ(kinds_of(explored(setting.scenario()), property), Kinds());
}

TEST(ZoneProperties, AResourceRefusesOldTokens) {
  for (const std::string fencing : {"none", "writes", "all"}) {
    const Setting setting{.pause = seconds(11), .algorithm = "fenced-token"};
    const search::Answer answer = answered(setting.scenario("[resource]\nfencing = \"" + fencing + "\"\n"));
    EXPECT_EQ(verdict(answer, "resource-safety"), fencing == "all" ? "holds" : "violated") << fencing;
    EXPECT_EQ(verdict(answer, "fencing-order"), "holds") << fencing;
  }
  EXPECT_EQ(verdict(answered(Setting().scenario()), "fencing-order"), "no-violation") << "there are no tokens";
}

TEST(ZoneProperties, ATokenThatIsDrawnLateIsOutOfOrder) {
  const std::string fenced = "[resource]\nfencing = \"all\"\n";
  const InLua late{.file = "scenarios/lua/token_drawn_late.lua", .more = fenced};
  EXPECT_EQ(verdict(answered(late.scenario()), "fencing-order"), "violated");
  const InLua early{.file = "scenarios/lua/token_drawn_late.lua", .pause = seconds(1), .more = fenced};
  EXPECT_EQ(verdict(answered(early.scenario()), "fencing-order"), "holds");
}

TEST(ZoneProperties, WhoReleasesAnothersLockIsNoOwner) {
  const Duration pause = seconds(11);
  const search::Answer blind = answered(Setting{.pause = pause, .algorithm = "set-ex-del"}.scenario());
  EXPECT_EQ(verdict(blind, "owner-release"), "violated");
  EXPECT_EQ(verdict(answered(Setting{.pause = pause}.scenario()), "owner-release"), "holds");
  const InLua compares{.file = "scenarios/lua/get_then_del.lua", .pause = pause};
  EXPECT_EQ(verdict(answered(compares.scenario()), "owner-release"), "violated");
}

TEST(ZoneProperties, WhoEntersAgainHoldsTheLockUntilItsLastRelease) {
  const std::string twice = R"("acquire", "hold 1s", "release", "hold 1s")";
  const InLua refused{.file = "scenarios/lua/set_px_token.lua", .work = twice};
  EXPECT_EQ(verdict(answered(refused.scenario()), "re-entrancy"), "freed-early");
  const InLua counted{.file = "scenarios/notes/counted_at_the_client.lua", .pause = seconds(1), .work = twice};
  const search::Answer answer = answered(counted.scenario());
  EXPECT_EQ(verdict(answer, "re-entrancy"), "holds");
  EXPECT_EQ(verdict(answered(Setting().scenario()), "re-entrancy"), "no-violation") << "nobody enters again";
}

TEST(ZoneProperties, NobodyGetsALockWhoseHolderForgotIt) {
  InLua forgets{.file = "tests/search/zones/forgets.lua"};
  const search::Answer dead = answered(forgets.scenario());
  EXPECT_EQ(verdict(dead, "deadlock-freedom"), "orphaned");
  forgets.pause = seconds(3);
  EXPECT_EQ(verdict(answered(forgets.scenario()), "deadlock-freedom"), "holds");
  forgets.more = "retry = \"2s\"\n[judge]\nprogress = \"30s\"\n";
  EXPECT_EQ(verdict(answered(forgets.scenario()), "deadlock-freedom"), "holds") << "with a bound in time";
}

TEST(ZoneProperties, WhatNoRunConfirmsLeavesTheOthersAlone) {
  search::Answer answer = answered(Setting{.faults = 0}.scenario());
  EXPECT_EQ(verdict(answer, "owner-release"), "holds");
  answer.found.undecided.emplace("owner-release", "no run confirms it");
  EXPECT_EQ(verdict(answer, "owner-release"), "unknown");
  EXPECT_EQ(verdict(answer, "mutual-exclusion"), "holds");
}

}  // namespace
}  // namespace lockproof::zones
