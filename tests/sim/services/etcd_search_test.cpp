// SPDX-License-Identifier: Apache-2.0
// Every schedule of locks on etcd: both engines find the same, with leases that end and watches that tell.
#include <string>

#include "search/core/contention.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/search/same_search.hpp"

namespace lockproof::sim::etcd_search_test {
namespace {

const ViolationKind double_grant{"mutual-exclusion", "double-grant"}, outlived{"mutual-exclusion", "outlived"};
const char* const locks[] = {"etcd-mutex", "etcd-mutex-3-4-3", "etcd-key", "etcd-key-without-lease"};

struct Tried {
  harness::Scenario scenario;
  harness::Bounds bounds;

  Tried(const std::string& lock, const std::string& faults, int attempts)
      : scenario(tests::scenario("[workload]\nlease = \"2s\"\nwork = [\"hold 300ms\"]\n[explore]\nattempts = " +
                                     std::to_string(attempts) + "\n" + faults,
                                 lock)),
        bounds(scenario.explore.value()) {
    bounds.contention = harness::Contention::as_written;
    scenario = bounded(scenario, bounds, false);
  }
  [[nodiscard]] Exploration searched() const { return explore_stateful(scenario, bounds, {.exchange = true}); }
};

const std::string paused = "[[explore.fault]]\nkind = \"pause\"\ntarget = \"clients\"\nfor = [\"3s\"]\n";

TEST(EtcdSearch, HoldsWithoutFaults) {
  for (const char* const lock : locks) {
    const Exploration found = Tried(lock, "", 3).searched();
    EXPECT_TRUE(found.complete) << lock;
    EXPECT_FALSE(found.broken.contains(double_grant)) << lock;
  }
}

TEST(EtcdSearch, APausedHolderOutlivesItsLeaseAndIsNeverEntitledBesideAnother) {
  for (const char* const lock : {"etcd-mutex", "etcd-mutex-3-4-3", "etcd-key"}) {
    const Exploration found = Tried(lock, paused, 6).searched();
    EXPECT_TRUE(found.complete) << lock;
    EXPECT_TRUE(found.broken.contains(outlived)) << lock;
    EXPECT_FALSE(found.broken.contains(double_grant)) << lock;
  }
}

TEST(EtcdSearch, AKeyWithoutALeaseIsNeverSharedAndNeverFreed) {
  const Exploration shared = Tried("etcd-key-without-lease", paused, 6).searched();
  EXPECT_TRUE(shared.complete);
  EXPECT_FALSE(shared.broken.contains(outlived));
  const Exploration crashed = Tried("etcd-key-without-lease", "[[explore.fault]]\nkind = \"crash\"\n", 3).searched();
  EXPECT_TRUE(crashed.broken.contains({"deadlock-freedom", "orphaned"}));
}

TEST(EtcdSearch, ALostConnectionAndARestartTakeNoLock) {
  for (const char* const fault : {"kind = \"break-connection\"\n", "kind = \"restart\"\nfor = [\"300ms\", \"3s\"]\n"}) {
    const Exploration found = Tried("etcd-mutex", std::string("[[explore.fault]]\n") + fault, 3).searched();
    EXPECT_TRUE(found.complete) << fault;
    EXPECT_FALSE(found.broken.contains(double_grant)) << fault;
  }
}

struct Engines {
  const char* name;
  const char* fault;
};
class EtcdEngines : public testing::TestWithParam<Engines> {};

TEST_P(EtcdEngines, FindTheSame) {
  for (const char* const lock : {"etcd-mutex", "etcd-key"}) {
    SCOPED_TRACE(lock);
    const Tried tried(lock, GetParam().fault, 2);
    tests::expect_same_search(explore_by_reexecution(tried.scenario, tried.bounds, {}),
                              explore_stateful(tried.scenario, tried.bounds, {}));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Faults, EtcdEngines,
    testing::Values(Engines{"none", ""}, Engines{"restart", "[[explore.fault]]\nkind = \"restart\"\nfor = \"300ms\"\n"},
                    Engines{"pause", "[[explore.fault]]\nkind = \"pause\"\ntarget = \"clients\"\nfor = [\"3s\"]\n"},
                    Engines{"server_pause",
                            "[[explore.fault]]\nkind = \"pause\"\ntarget = \"servers\"\nfor = [\"1s\"]\n"},
                    Engines{"crash", "[[explore.fault]]\nkind = \"crash\"\n"},
                    Engines{"half_open", "[[explore.fault]]\nkind = \"half-open\"\n"},
                    Engines{"clock_jump",
                            "[[explore.fault]]\nkind = \"clock-jump\"\ntarget = \"servers\"\nby = [\"-1s\", \"3s\"]\n"},
                    Engines{"break_connection", "[[explore.fault]]\nkind = \"break-connection\"\n"}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace lockproof::sim::etcd_search_test
