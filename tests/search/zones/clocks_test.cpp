// SPDX-License-Identifier: Apache-2.0
// Clocks in the zone engine: at which amount or rate a lock begins to break, by arithmetic, and faults that the
// scenario places itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "search/search.hpp"
#include "search/zones/time/host_rate.hpp"
#include "search/zones/zone_engine.hpp"
#include "sim/world/clocks.hpp"
#include "tests/search/zones/fixture.hpp"

namespace lockproof::zones {
namespace {

/// By the simulator's own clocks, over all phases.
HostRate::Reach reach_by_clocks(std::int64_t ppb, std::int64_t us) {
  sim::HostClocks clocks{harness::ClockSpec{}};
  clocks.set_rate({}, ppb);
  const auto reading = [&](std::int64_t at) { return InstantAccess::us(clocks.mono(Duration(at))); };
  std::optional<HostRate::Reach> reach;
  for (std::int64_t from = 2000; from < 2100; ++from) {
    std::int64_t after = -1000;
    while (reading(from + after) - reading(from) < us) ++after;
    if (!reach) reach = {after, after};
    reach = {std::min(reach->earliest, after), std::max(reach->latest, after)};
  }
  return *reach;
}

TEST(HostRate, ReachesWhatAClockOfTheSimulatorDoes) {
  for (const std::int64_t ppb : {0, 20'000'000, -20'000'000, 500'000'000, -400'000'000, 1'000'000'000}) {
    for (std::int64_t us = -70; us <= 140; ++us) {
      const HostRate::Reach reach = HostRate(ppb).reach(us), expected = reach_by_clocks(ppb, us);
      EXPECT_EQ(reach.earliest, expected.earliest) << ppb << " ppb, " << us << " us";
      EXPECT_EQ(reach.latest, expected.latest) << ppb << " ppb, " << us << " us";
    }
  }
}

/// Of mutual exclusion.
std::string kinds_with(const std::string& entry, Duration work = seconds(6)) {
  const Setting setting{.work = work, .other_faults = {entry}};
  const sim::Exploration found = explored(setting.scenario());
  EXPECT_TRUE(found.complete) << found.stopped;
  EXPECT_EQ(found.undecided, (std::map<std::string, std::string>())) << entry;
  std::string all;
  for (const auto& [kind, faults] : kinds_of(found, exclusion_name)) all += kind.second + " ";
  return all;
}

/// A holder is inside for 6.006 s, and its lease of 10 s ends at the earliest so long after it asked, 1.001 ms more.
TEST(ZoneClocks, AJumpOfTheServerIsSlackToTheMicrosecond) {
  const std::string jump = "kind = \"clock-jump\"\ntarget = \"servers\"\nby = \"3996ms\"\n";
  EXPECT_EQ(kinds_with(jump, Duration(6'000'000)), "");
  EXPECT_EQ(kinds_with(jump, Duration(6'000'001)), "double-grant ");
  EXPECT_EQ(kinds_with("kind = \"clock-jump\"\ntarget = \"servers\"\nby = \"3997ms\"\n"), "double-grant ");
  EXPECT_EQ(kinds_with("kind = \"clock-jump\"\ntarget = \"servers\"\nby = \"-8s\"\n"), "");
  EXPECT_EQ(kinds_with("kind = \"clock-jump\"\ntarget = \"clients\"\nby = \"10001ms\"\n"), "") << "it looks at no wall";
}

/// It stands as long as the holder does, which so believes that its lease still runs.
TEST(ZoneClocks, WhoIsSuspendedBelievesInItsLease) {
  EXPECT_EQ(kinds_with("kind = \"suspend\"\ntarget = \"clients\"\nfor = \"3996ms\"\n"), "");
  EXPECT_EQ(kinds_with("kind = \"suspend\"\ntarget = \"clients\"\nfor = \"3997ms\"\n"), "double-grant ");
  EXPECT_EQ(kinds_with("kind = \"pause\"\ntarget = \"clients\"\nfor = \"3997ms\"\n"), "outlived ");
}

/// 10000.001 ms of the server's clock are 9004 ms at a rate of 11.0617614 %.
TEST(ZoneClocks, TheRateOfAServerIsThatOfArithmetic) {
  const auto at_rate = [](const char* rate) {
    return kinds_with(std::string("kind = \"clock-rate\"\ntarget = \"servers\"\nrate = \"") + rate + "\"\n",
                      seconds(9));
  };
  EXPECT_EQ(at_rate("+11.0617%"), "");
  EXPECT_EQ(at_rate("+11.0618%"), "double-grant ");
  EXPECT_EQ(at_rate("-50%"), "");
}

/// Rates that are alike on all hosts are none, but for what no clock counts: latencies.
TEST(ZoneClocks, AClientThatIsSlowWorksForLonger) {
  const auto at_rate = [](const char* rate) {
    return kinds_with(std::string("kind = \"clock-rate\"\ntarget = \"clients\"\nrate = \"") + rate + "\"\n",
                      seconds(9));
  };
  EXPECT_EQ(at_rate("-9.9%"), "");
  EXPECT_EQ(at_rate("-10.1%"), "double-grant ");
  EXPECT_EQ(at_rate("+50%"), "");
}

/// Of one fault of this kind, on both sides of what is harmful: a later start is contained, and durations times a
/// number say the same.
TEST(ZoneClocks, KeepTheLaws) {
  const auto kinds = [](const std::string& fault, int k, const std::string& more = "") {
    const Setting setting{
        .lease = seconds(5) * k, .work = seconds(3) * k, .timeout = seconds(2) * k, .other_faults = {fault}};
    return kinds_of(explored(setting.scenario(more)));
  };
  const auto times = [](int ms, int k) { return "\"" + std::to_string(ms * k) + "ms\"\n"; };
  for (const int ms : {1000, 3000, 6000}) {
    for (const std::string fault :
         {"kind = \"suspend\"\ntarget = \"clients\"\nfor = ", "kind = \"clock-jump\"\nby = "}) {
      const Kinds all = kinds(fault + times(ms, 1), 1);
      EXPECT_EQ(all.empty(), ms == 1000) << fault << ms;
      EXPECT_EQ(kinds(fault + times(ms, 3), 3), all) << fault << ms;
      const Kinds later = kinds(fault + times(ms, 1), 1, "[[client]]\nname = \"client-2\"\nstart = \"3s\"\n");
      for (const auto& [kind, faults] : later) EXPECT_TRUE(all.contains(kind)) << fault << ms << " " << kind.first;
    }
  }
  for (const std::string rate : {"+20%", "+80%", "-20%", "-50%"}) {
    const std::string fault = "kind = \"clock-rate\"\nrate = \"" + rate + "\"\n";
    EXPECT_EQ(kinds(fault, 3), kinds(fault, 1)) << rate;
  }
}

class PlacedFaults : public testing::TestWithParam<Entry> {};

/// The scenario's own fault, and none of a budget.
TEST_P(PlacedFaults, AgreeWithTheOtherEngine) {
  for (const std::string lock : {"set-px-token", "set-ex-del", "setnx-expire-del"}) {
    for (const std::string at : {"500us", "3s"}) {
      const Setting setting{.faults = 0, .algorithm = lock};
      const std::string fault = "[[fault]]\nat = \"" + at + "\"\n" + GetParam().text;
      const sim::Exploration found = expect_agreement(setting.scenario(fault), lock + " " + at);
      EXPECT_TRUE(found.struck.contains(1)) << lock << " " << at;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PlacedFaults,
    testing::Values(Entry{"pause", "kind = \"pause\"\ntarget = \"client-1\"\nfor = \"8s\"\n"},
                    Entry{"server_pause", "kind = \"pause\"\ntarget = \"redis-1\"\nfor = \"3s\"\n"},
                    Entry{"suspend", "kind = \"suspend\"\ntarget = \"client-2\"\nfor = \"8s\"\n"},
                    Entry{"crash", "kind = \"crash\"\ntarget = \"client-1\"\n"},
                    Entry{"kill_task", "kind = \"kill-task\"\ntarget = \"client-1\"\n"},
                    Entry{"break_connection",
                          "kind = \"break-connection\"\ntarget = \"client-1\"\npeer = \"redis-1\"\n"},
                    Entry{"partition", "kind = \"partition\"\ntarget = \"client-1\"\nfor = \"8s\"\n"},
                    Entry{"partition_of_replies",
                          "kind = \"partition\"\ntarget = \"redis-1\"\npeer = \"client-2\"\ndirection = \"to-peer\"\n"
                          "for = \"8s\"\n"},
                    Entry{"clock_jump", "kind = \"clock-jump\"\ntarget = \"redis-1\"\nby = \"8s\"\n"},
                    Entry{"restart", "kind = \"restart\"\ntarget = \"redis-1\"\nfor = \"1s\"\n"},
                    Entry{"power_cut", "kind = \"power-cut\"\ntarget = \"redis-1\"\nfor = \"1s\"\n"},
                    Entry{"evict", "kind = \"evict\"\ntarget = \"redis-1\"\n"},
                    Entry{"flush", "kind = \"flush\"\ntarget = \"redis-1\"\n"}),
    [](const auto& one) { return one.param.name; });

/// Two of them are one event after the other, and a rate holds from the beginning.
TEST(ZoneClocks, SeveralPlacedFaultsStrikeTogether) {
  const std::string jump = "[[fault]]\nkind = \"clock-jump\"\ntarget = \"redis-1\"\nat = \"2s\"\nby = \"2500ms\"\n";
  const std::string rate = "[[fault]]\nkind = \"clock-rate\"\ntarget = \"redis-1\"\nat = \"0s\"\nrate = \"+30%\"\n";
  const auto kinds = [](const std::string& faults) {
    return kinds_of(explored(Setting{.faults = 0}.scenario(faults)), exclusion_name);
  };
  EXPECT_EQ(kinds(jump), Kinds());
  EXPECT_EQ(kinds(rate), Kinds());
  EXPECT_EQ(kinds(jump + rate), (Kinds{{{exclusion_name, "double-grant"}, 0}}));
}

/// Without an engine being named, zones answer where clocks drift; where they cannot, some late starts are searched.
TEST(Drift, IsSearchedBeforeAnybodyAsks) {
  const auto asked = [](const std::string& lock, bool drifts) {
    const Setting setting{.algorithm = lock,
                          .other_faults = {"kind = \"clock-rate\"\ntarget = \"clients\"\nrate = \"+1%\"\n"}};
    const harness::Scenario scenario = setting.scenario("retry = \"2500ms\"\n");
    search::Question question{.scenario = scenario, .bounds = *scenario.explore};
    question.drifts = drifts;
    return search::answer(question, {}).found;
  };
  const sim::Exploration zoned = asked("set-px-token", true);
  EXPECT_TRUE(zoned.every_timing);
  EXPECT_EQ(kinds_of(zoned), Kinds());
  EXPECT_EQ(kinds_of(asked("getset-timestamp", false)), Kinds());
  const sim::Exploration late = asked("getset-timestamp", true);
  EXPECT_EQ(late.late_starts, (std::vector<Duration>{seconds(500), seconds(2000)}));
  EXPECT_EQ(kinds_of(late, exclusion_name), (Kinds{{{exclusion_name, "double-grant"}, 1}}));
}

}  // namespace
}  // namespace lockproof::zones
