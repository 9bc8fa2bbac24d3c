// SPDX-License-Identifier: Apache-2.0
// Every schedule of locks on ZooKeeper: both engines find the same, with sessions that end and messages that tell.
#include <string>

#include "search/core/contention.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/search/same_search.hpp"

namespace lockproof::sim::zookeeper_search_test {
namespace {

using harness::Bounds;
using harness::Contention;

const ViolationKind double_grant{"mutual-exclusion", "double-grant"}, outlived{"mutual-exclusion", "outlived"};

harness::Scenario scenario(const std::string& lock, const std::string& more = "", int attempts = 1) {
  return tests::scenario("[workload]\nlease = \"2s\"\nwork = [\"hold 300ms\"]\n[explore]\nattempts = " +
                             std::to_string(attempts) + "\n" + more,
                         lock);
}

Exploration searched(const harness::Scenario& scenario) {
  Bounds bounds = scenario.explore.value_or(Bounds{});
  bounds.contention = Contention::as_written;
  return explore_stateful(bounded(scenario, bounds, false), bounds, {.exchange = true});
}

TEST(ZooKeeperSearch, HoldsWithoutFaults) {
  for (const char* const lock : {"zookeeper-queue", "zookeeper-queue-unprotected", "zookeeper-queue-trusts-event",
                                 "zookeeper-queue-adopts-old", "zookeeper-herd"}) {
    const Exploration found = searched(scenario(lock, "", 3));
    EXPECT_TRUE(found.complete) << lock;
    EXPECT_FALSE(found.broken.contains(double_grant)) << lock;
  }
}

TEST(ZooKeeperSearch, APausedHolderOutlivesItsSessionAndIsNeverEntitledBesideAnother) {
  const std::string paused = "[[explore.fault]]\nkind = \"pause\"\ntarget = \"clients\"\nfor = [\"3s\"]\n";
  for (const char* const lock : {"zookeeper-queue", "zookeeper-herd"}) {
    const Exploration found = searched(scenario(lock, paused, 8));
    EXPECT_TRUE(found.complete) << lock;
    EXPECT_TRUE(found.broken.contains(outlived)) << lock;
    EXPECT_FALSE(found.broken.contains(double_grant)) << lock;
  }
}

TEST(ZooKeeperSearch, ALostConnectionAndARestartTakeNoLock) {
  for (const char* const fault : {"kind = \"break-connection\"\n", "kind = \"restart\"\nfor = [\"300ms\", \"3s\"]\n"}) {
    const Exploration found = searched(scenario("zookeeper-queue", std::string("[[explore.fault]]\n") + fault, 3));
    EXPECT_TRUE(found.complete) << fault;
    EXPECT_FALSE(found.broken.contains(double_grant)) << fault;
  }
}

/// Of an ensemble: client-1 at a follower, client-2 at another one.
const std::string three = "[servers]\nzookeeper = 3\n[[client]]\nname = \"client-2\"\nserver = \"zookeeper-2\"\n";

TEST(ZooKeeperSearch, AnEnsembleHoldsWithoutFaultsAndWithAServerThatIsGone) {
  for (const char* const lock : {"zookeeper-queue", "zookeeper-queue-syncs", "zookeeper-herd"}) {
    const std::string restart = "[[explore.fault]]\nkind = \"restart\"\nfor = [\"300ms\", \"3s\"]\n";
    for (const std::string& fault : {std::string(), restart}) {
      const Exploration found = searched(scenario(lock, fault + three, 3));
      EXPECT_TRUE(found.complete) << lock;
      EXPECT_TRUE(found.acquired && found.contended) << lock;
      EXPECT_FALSE(found.broken.contains(double_grant)) << lock;
    }
  }
}

struct Engines {
  const char* name;
  std::string fault;
};
class ZooKeeperEngines : public testing::TestWithParam<Engines> {};

TEST_P(ZooKeeperEngines, FindTheSame) {
  for (const char* const lock : {"zookeeper-queue", "zookeeper-herd"}) {
    SCOPED_TRACE(lock);
    const harness::Scenario tried = scenario(lock, GetParam().fault, 2);
    Bounds bounds = tried.explore.value_or(Bounds{});
    bounds.contention = Contention::as_written;
    const harness::Scenario within = bounded(tried, bounds, false);
    tests::expect_same_search(explore_by_reexecution(within, bounds, {}), explore_stateful(within, bounds, {}));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Faults, ZooKeeperEngines,
    testing::Values(
        Engines{"none", ""}, Engines{"restart", "[[explore.fault]]\nkind = \"restart\"\nfor = \"300ms\"\n"},
        Engines{"pause", "[[explore.fault]]\nkind = \"pause\"\ntarget = \"clients\"\nfor = [\"3s\"]\n"},
        Engines{"server_pause", "[[explore.fault]]\nkind = \"pause\"\ntarget = \"servers\"\nfor = [\"1s\"]\n"},
        Engines{"crash", "[[explore.fault]]\nkind = \"crash\"\n"},
        Engines{"half_open", "[[explore.fault]]\nkind = \"half-open\"\n"},
        Engines{"break_connection", "[[explore.fault]]\nkind = \"break-connection\"\n"},
        Engines{"delay", "[[explore.fault]]\nkind = \"delay\"\nby = [\"3s\"]\n"}, Engines{"ensemble", three},
        Engines{"ensemble_restart", "[[explore.fault]]\nkind = \"restart\"\nfor = \"300ms\"\n" + three},
        Engines{"ensemble_pause",
                "[[explore.fault]]\nkind = \"pause\"\ntarget = \"servers\"\nfor = [\"3s\"]\n" + three},
        Engines{"ensemble_stall", "[[explore.fault]]\nkind = \"replication-stall\"\nfor = [\"2s\"]\n" + three}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace lockproof::sim::zookeeper_search_test
