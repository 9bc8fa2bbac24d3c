// SPDX-License-Identifier: Apache-2.0
// Each kind of fault in the zone engine: the kinds of violation are those of the engine that looks states up, where
// amounts are points.
#include <gtest/gtest.h>

#include "search/zones/zone_engine.hpp"
#include "tests/search/zones/fixture.hpp"

namespace lockproof::zones {
namespace {

class ZoneFaults : public testing::TestWithParam<Entry> {};

TEST_P(ZoneFaults, AgreeWithTheOtherEngine) {
  for (const std::string lock : {"set-px-token", "set-ex-del", "set-ex-get-del", "setnx-del", "setnx-expire-del"}) {
    for (const std::string start : {"", "[[client]]\nname = \"client-2\"\nstart = \"3s\"\n"}) {
      const Setting setting{.algorithm = lock, .other_faults = {GetParam().text}};
      const harness::Scenario scenario = setting.scenario(start);
      const sim::Exploration found = expect_agreement(scenario, lock + " " + start);
      EXPECT_FALSE(found.of_budget.empty()) << lock;
    }
  }
}

/// Leases in seconds of the server, and rows of a database.
TEST_P(ZoneFaults, AgreeOnOtherServices) {
  for (const std::string lock : {"memcached-add", "memcached-add-cas", "postgres-row"}) {
    for (const std::string start : {"", "[[client]]\nname = \"client-2\"\nstart = \"3s\"\n"}) {
      const Setting setting{.algorithm = lock, .other_faults = {GetParam().text}};
      if (!setting.can_have_faults()) continue;
      const harness::Scenario scenario = setting.scenario(start);
      const sim::Exploration found = expect_agreement(scenario, lock + " " + start);
      EXPECT_FALSE(found.of_budget.empty()) << lock;
    }
  }
}

/// With tokens that a resource refuses.
TEST_P(ZoneFaults, AgreeOnTokensOfTheResource) {
  for (const std::string fencing : {"none", "writes", "all"}) {
    const std::string resource = "[resource]\nfencing = \"" + fencing + "\"\n";
    for (const std::string lock : {"fenced-token", "set-px-thread-id"}) {
      const Setting setting{.algorithm = lock, .other_faults = {GetParam().text}};
      expect_agreement(setting.scenario(resource), lock + " " + fencing);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ZoneFaults,
    testing::Values(
        Entry{"pause", "kind = \"pause\"\ntarget = \"clients\"\nfor = [\"5s\", \"10s\", \"10001ms\"]\n"},
        Entry{"restart", "kind = \"restart\"\nfor = [\"1999ms\", \"10001ms\"]\n"},
        Entry{"power_cut", "kind = \"power-cut\"\nfor = [\"1999ms\", \"10001ms\"]\n"},
        Entry{"server_pause", "kind = \"pause\"\ntarget = \"servers\"\nfor = [\"1999ms\", \"10001ms\"]\n"},
        Entry{"evict", "kind = \"evict\"\n"}, Entry{"flush", "kind = \"flush\"\n"},
        Entry{"crash", "kind = \"crash\"\n"}, Entry{"kill_task", "kind = \"kill-task\"\n"},
        Entry{"half_open", "kind = \"half-open\"\n"},
        Entry{"delay", "kind = \"delay\"\nby = [\"1999ms\", \"5s\", \"10s\", \"10001ms\"]\n"},
        Entry{"resend", "kind = \"resend\"\nfor = [\"1s\", \"1999ms\"]\n"},
        Entry{"retry", "kind = \"retry\"\nlose = [\"reply\", \"nothing\"]\nconnection = [\"new\", \"same\"]\n"},
        Entry{"break_connection", "kind = \"break-connection\"\n"},
        Entry{"partition", "kind = \"partition\"\nfor = [\"1999ms\", \"5s\", \"10s\", \"10001ms\"]\n"},
        Entry{"suspend", "kind = \"suspend\"\ntarget = \"clients\"\nfor = [\"3s\", \"10s\", \"10001ms\"]\n"},
        Entry{"server_suspend", "kind = \"suspend\"\ntarget = \"servers\"\nfor = [\"1999ms\", \"10001ms\"]\n"},
        Entry{"clock_jump", "kind = \"clock-jump\"\nby = [\"2s\", \"5s\", \"10001ms\", \"-5s\"]\n"},
        Entry{"clock_rate", "kind = \"clock-rate\"\nrate = [\"+1%\", \"-2%\", \"+70%\", \"-70%\"]\n"}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace lockproof::zones
