// SPDX-License-Identifier: Apache-2.0
// Other services than Redis in the zone engine: at which length of the work a lock begins to break, by arithmetic, and
// that runs show it.
#include <gtest/gtest.h>

#include <string>

#include "search/zones/zone_engine.hpp"
#include "tests/search/zones/fixture.hpp"

namespace lockproof::zones {
namespace {

std::string found_with(Setting setting, const std::string& lock, Duration work) {
  setting.algorithm = lock;
  setting.work = work;
  return verdict(answered(setting.scenario()), exclusion_name);
}

/// A holder is inside until the work, four messages to the resource and the answer are over. A rival enters an answer
/// after its lease: which ends up to 999,999 us too early at a memcached, and at least 1 us late at a PostgreSQL.
TEST(ZoneServices, HaveTheEdgeOfArithmetic) {
  const Setting setting{.faults = 0};
  EXPECT_EQ(found_with(setting, "memcached-add-cas", Duration(8'996'000)), "holds");
  EXPECT_EQ(found_with(setting, "memcached-add-cas", Duration(8'996'001)), "outlived");
  EXPECT_EQ(found_with(setting, "memcached-add", Duration(8'996'000)), "holds");
  EXPECT_EQ(found_with(setting, "memcached-add", Duration(8'996'001)), "double-grant");
  EXPECT_EQ(found_with(setting, "postgres-row", Duration(9'996'000)), "holds");
  EXPECT_EQ(found_with(setting, "postgres-row", Duration(9'996'001)), "outlived");
}

TEST(ZoneServices, HaveItWithAWindowOfLatencies) {
  Setting setting{.lease = seconds(14), .pause = seconds(3)};
  setting.least_latency = {};
  setting.most_latency = milliseconds(200);
  EXPECT_EQ(found_with(setting, "memcached-add-cas", Duration(9'000'000)), "holds");
  EXPECT_EQ(found_with(setting, "memcached-add-cas", Duration(9'000'001)), "outlived");
  EXPECT_EQ(found_with(setting, "postgres-row", Duration(10'000'000)), "holds");
  EXPECT_EQ(found_with(setting, "postgres-row", Duration(10'000'001)), "outlived");
}

/// Its seconds do not stand still with its process but with its clock, and its wall clock does not matter.
TEST(ZoneServices, AMemcachedCountsByItsMonotonicClock) {
  const auto found = [](const std::string& fault) {
    Setting setting{.other_faults = {fault}};
    return found_with(setting, "memcached-add-cas", Duration(8'996'000));
  };
  EXPECT_EQ(found("kind = \"clock-jump\"\ntarget = \"servers\"\nby = \"8s\"\n"), "holds");
  EXPECT_EQ(found("kind = \"suspend\"\ntarget = \"servers\"\nfor = \"1s\"\n"), "holds");
  EXPECT_EQ(found("kind = \"pause\"\ntarget = \"servers\"\nfor = \"1s\"\n"), "double-grant") << "a second is late";
}

/// A window of latencies, and each kind of fault that the budget of one server has: all is shown by runs.
TEST(ZoneServices, AreShownByRuns) {
  for (const std::string lock : {"memcached-add", "memcached-add-cas", "postgres-row"}) {
    Setting setting{.lease = seconds(5), .work = seconds(3), .algorithm = lock};
    setting.least_latency = {};
    setting.most_latency = milliseconds(100);
    for (const std::string fault :
         {"kind = \"pause\"\ntarget = \"servers\"\nfor = \"..6s\"\n", "kind = \"restart\"\nfor = \"..6s\"\n",
          "kind = \"partition\"\nfor = \"..6s\"\n", "kind = \"suspend\"\ntarget = \"servers\"\nfor = \"3s\"\n",
          "kind = \"break-connection\"\n", "kind = \"clock-rate\"\nrate = [\"+60%\", \"-40%\"]\n"}) {
      setting.other_faults = {fault};
      const search::Answer answer = answered(setting.scenario());
      EXPECT_EQ(answer.found.undecided, (std::map<std::string, std::string>())) << lock << " " << fault;
      EXPECT_FALSE(answer.found.of_budget.empty()) << lock << " " << fault;
    }
  }
}

}  // namespace
}  // namespace lockproof::zones
