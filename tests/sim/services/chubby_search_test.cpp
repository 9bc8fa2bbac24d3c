// SPDX-License-Identifier: Apache-2.0
// Every schedule of locks of a Chubby cell: both engines find the same, with KeepAlives that are held back, sessions
// that end, lock-delays and fail-overs.
#include <string>

#include "search/core/contention.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/search/same_search.hpp"

namespace lockproof::sim::chubby_search_test {
namespace {

using harness::Bounds;
using harness::Contention;

const ViolationKind double_grant{"mutual-exclusion", "double-grant"}, outlived{"mutual-exclusion", "outlived"};
const char* const locks[] = {"chubby-lock", "chubby-sequencer", "chubby-ignores-jeopardy"};

harness::Scenario scenario(const std::string& lock, const std::string& faults = "", int attempts = 2,
                           const std::string& settings = "lock_delay = \"500ms\"\ngrace = \"6s\"\n") {
  return tests::scenario(
      settings + "[workload]\nlease = \"2s\"\nwork = [\"hold 300ms\"]\n[explore]\nretry = \"1s\"\nattempts = " +
          std::to_string(attempts) + "\n" + faults,
      lock);
}

std::string fault(const char* keys) { return std::string("[[explore.fault]]\n") + keys; }

Bounds bounds_of(const harness::Scenario& scenario) {
  Bounds bounds = scenario.explore.value_or(Bounds{});
  bounds.contention = Contention::as_written;
  return bounds;
}

Exploration searched(const harness::Scenario& scenario) {
  const Bounds bounds = bounds_of(scenario);
  return explore_stateful(bounded(scenario, bounds, false), bounds, {.exchange = true});
}

TEST(ChubbySearch, HoldsWithoutFaults) {
  for (const char* const lock : locks) {
    const Exploration found = searched(scenario(lock, "", 3));
    EXPECT_TRUE(found.complete) << lock;
    EXPECT_TRUE(found.acquired && found.contended) << lock;
    EXPECT_FALSE(found.broken.contains(double_grant) || found.broken.contains(outlived)) << lock;
  }
}

TEST(ChubbySearch, APausedHolderOutlivesItsSessionAndTheLockDelayAndIsNeverEntitledBesideAnother) {
  const Exploration found =
      searched(scenario("chubby-lock", fault("kind = \"pause\"\ntarget = \"clients\"\nfor = [\"6s\"]\n"), 8));
  EXPECT_TRUE(found.complete);
  EXPECT_TRUE(found.broken.contains(outlived));
  EXPECT_FALSE(found.broken.contains(double_grant));
}

TEST(ChubbySearch, ALockDelayThatIsLongerThanThePauseKeepsTheNextOneOut) {
  const Exploration found = searched(scenario(
      "chubby-lock", fault("kind = \"pause\"\ntarget = \"clients\"\nfor = [\"6s\"]\n"), 8, "lock_delay = \"5s\"\n"));
  EXPECT_TRUE(found.complete);
  EXPECT_FALSE(found.broken.contains(outlived));
}

TEST(ChubbySearch, WhoIgnoresJeopardyIsEntitledBesideAnother) {
  const std::string cut = fault("kind = \"partition\"\ntarget = \"clients\"\nfor = [\"6s\"]\n");
  const auto broken = [&](const char* lock) {
    harness::Scenario tried = scenario(lock, cut, 8);
    for (harness::ClientSpec& client : tried.clients) client.plan.work = {{harness::Work::Kind::hold, seconds(6)}};
    const Exploration found = searched(tried);
    EXPECT_TRUE(found.complete) << lock;
    return found.broken.contains(double_grant);
  };
  EXPECT_TRUE(broken("chubby-ignores-jeopardy"));
  EXPECT_FALSE(broken("chubby-lock"));
}

TEST(ChubbySearch, ALostConnectionAndAFailOverTakeNoLock) {
  for (const char* const keys : {"kind = \"break-connection\"\n", "kind = \"restart\"\nfor = [\"300ms\", \"3s\"]\n"}) {
    const Exploration found = searched(scenario("chubby-lock", fault(keys), 3));
    EXPECT_TRUE(found.complete) << keys;
    EXPECT_FALSE(found.broken.contains(double_grant)) << keys;
  }
}

struct Engines {
  const char* name;
  const char* fault;
};
class ChubbyEngines : public testing::TestWithParam<Engines> {};

TEST_P(ChubbyEngines, FindTheSame) {
  for (const char* const lock : {"chubby-sequencer", "chubby-ignores-jeopardy"}) {
    SCOPED_TRACE(lock);
    const harness::Scenario tried = scenario(lock, GetParam().fault);
    const Bounds bounds = bounds_of(tried);
    const harness::Scenario within = bounded(tried, bounds, false);
    tests::expect_same_search(explore_by_reexecution(within, bounds, {}), explore_stateful(within, bounds, {}));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Faults, ChubbyEngines,
    testing::Values(
        Engines{"none", ""}, Engines{"restart", "[[explore.fault]]\nkind = \"restart\"\nfor = \"300ms\"\n"},
        Engines{"long_restart", "failed_attempts = 2\n[[explore.fault]]\nkind = \"restart\"\nfor = [\"T\", \"3T\"]\n"},
        Engines{"pause", "[[explore.fault]]\nkind = \"pause\"\ntarget = \"clients\"\nfor = [\"3s\"]\n"},
        Engines{"server_pause", "[[explore.fault]]\nkind = \"pause\"\ntarget = \"servers\"\nfor = [\"1s\"]\n"},
        Engines{"crash", "[[explore.fault]]\nkind = \"crash\"\n"},
        Engines{"half_open", "[[explore.fault]]\nkind = \"half-open\"\n"},
        Engines{"delay", "[[explore.fault]]\nkind = \"delay\"\nby = \"2s\"\n"},
        Engines{"resend", "[[explore.fault]]\nkind = \"resend\"\nfor = \"1s\"\n"},
        Engines{"partition", "[[explore.fault]]\nkind = \"partition\"\nfor = \"3s\"\n"},
        Engines{"break_connection", "[[explore.fault]]\nkind = \"break-connection\"\n"}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace lockproof::sim::chubby_search_test
