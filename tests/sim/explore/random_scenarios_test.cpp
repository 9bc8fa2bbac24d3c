// SPDX-License-Identifier: Apache-2.0
// The engines on scenarios that nobody thought of: they must count the same states, transitions and ends, and find the
// same with the same fewest faults and events; and what the reductions leave out must change no verdict. And on those
// that once told where they did not.
#include <cstdlib>
#include <exception>

#include "sim/explore/contention.hpp"
#include "sim/explore/reexecution/reexecution_engine.hpp"
#include "sim/explore/state_space/stateful_engine.hpp"
#include "tests/random_scenario.hpp"
#include "tests/sim/explore/same_search.hpp"

namespace lockproof::sim {
namespace {

constexpr std::uint64_t states_most = 3000;  // of a space that the re-execution engine is asked to search

std::map<ViolationKind, int> faults_of(const Exploration& found) {
  std::map<ViolationKind, int> faults;
  for (const auto& [way, broken] : found.broken) faults.emplace(way, broken.faults);
  return faults;
}

/// Not if it is too large; then false.
bool compare(const harness::Scenario& drawn) {
  const harness::Bounds bounds = drawn.explore.value();
  const harness::Scenario scenario = as_written(bounded(drawn, bounds, false));
  EXPECT_EQ(stateful_engine_refuses(scenario, bounds), "");
  Limits limits{.reduce = false, .estimate = false};
  limits.go_on = [](const Progress& progress) { return progress.states <= states_most; };
  const Exploration fast = explore_stateful(scenario, bounds, limits);
  if (!fast.complete) return false;
  tests::expect_same_search(explore_by_reexecution(scenario, bounds, {.reduce = false}), fast);
  // What an isolated host that has gone on does must be what one does that runs again from its start, on another way.
  Limits again = limits;
  again.live_hosts = 0;
  tests::expect_same_search(explore_stateful(scenario, bounds, again), fast);
  const Exploration reduced = explore_stateful(scenario, bounds, {});
  tests::expect_same_search(explore_by_reexecution(scenario, bounds, {}), reduced);
  EXPECT_EQ(faults_of(fast), faults_of(reduced));
  EXPECT_EQ(faults_of(fast), faults_of(explore_stateful(scenario, bounds, {.exchange = true})));
  return true;
}

/// More of them with this variable set.
std::uint64_t asked_for() {
  const char* const asked = std::getenv("LOCKPROOF_RANDOM_SCENARIOS");
  return asked ? std::strtoull(asked, nullptr, 10) : 12;
}

TEST(RandomScenarios, AreSearchedAlikeByBothEngines) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 1; compared < asked_for(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + tests::random_scenario_text(seed));
    try {
      compared += compare(tests::random_scenario(seed));
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    if (HasFailure()) return;
  }
}

/// All that a scenario can be about is drawn, and the same for the same seed.
TEST(RandomScenarios, AreOfEveryLockAndEveryFaultThatTheFastEngineKnows) {
  std::set<std::string_view> locks;
  std::set<harness::FaultKind> kinds;
  std::set<std::size_t> clients;
  int elsewhere = 0;
  bool twice = false, windows = false, two_faults = false, bounds = false, replicas = false, sentinels = false;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    EXPECT_EQ(tests::random_scenario_text(seed), tests::random_scenario_text(seed));
    const harness::Scenario drawn = tests::random_scenario(seed);
    locks.insert(drawn.algorithm->name);
    clients.insert(drawn.clients.size());
    for (const auto& entry : drawn.explore->budget) kinds.insert(entry.kind);
    twice |= drawn.clients.front().plan.rounds == 2;
    windows |= drawn.network.latency.least != drawn.network.latency.most;
    two_faults |= drawn.explore->max_faults == 2;
    bounds |= drawn.progress && drawn.waiting;
    replicas |= drawn.servers.back().replica_of == "redis-1" && drawn.sentinels.empty();
    sentinels |= !drawn.sentinels.empty();
    for (const harness::Fault& fault : drawn.faults) elsewhere += fault.when->actor != fault.target;
  }
  EXPECT_EQ(locks.size(), catalogue().size());
  EXPECT_EQ(kinds.size(), 18u);
  EXPECT_EQ(clients, (std::set<std::size_t>{2, 3}));
  EXPECT_TRUE(twice && windows && two_faults && bounds && replicas && sentinels);
  EXPECT_GT(elsewhere, 10);
}

struct Told {
  const char* name;
  const char* text;
};
class OnceToldApart : public testing::TestWithParam<Told> {};

TEST_P(OnceToldApart, IsSearchedAlikeByBothEngines) {
  EXPECT_TRUE(compare(harness::parse_scenario("told.toml", GetParam().text)));
}

// In the first three a late command still names a token, so that the next one is called something else.
constexpr Told told[] = {{"TokensOfALateDelete", R"(
[algorithm]
name = "set-ex-get-del"
retry = "1500ms"
[explore]
[[explore.fault]]
kind = "delay"
by = "3200ms"
)"},
                         {"TokensOfABrokenConnection", R"(
[algorithm]
name = "fenced-token"
retry = "1s"
[workload]
attempts = 3
lease = "2s"
work = ["hold 100ms"]
[explore]
[[explore.fault]]
kind = "break-connection"
)"},
                         {"TokensBehindAPartition", R"(
[algorithm]
name = "set-px-token"
retry = "333ms"
[workload]
attempts = 3
lease = "1s"
[[client]]
name = "client-2"
work = ["hold 1500ms"]
[network]
timeout = "500ms"
[explore]
[[explore.fault]]
kind = "partition"
for = ["500ms", "1200ms"]
)"},
                         {"ClockOfAClientThatHasFinished", R"(
[algorithm]
name = "getset-timestamp"
[workload]
lease = "1s"
work = ["hold 700ms"]
attempts = 3
stop_on = "deadline"
[[client]]
name = "client-1"
clock = "+1500ms"
[[client]]
name = "client-2"
start = "500ms"
[network]
latency = ["1ms", "2ms"]
[explore]
retry = "T"
[[explore.fault]]
kind = "clock-rate"
rate = ["+1%", "-2%"]
)"},
                         {"DeadlineBetweenTwoTicks", R"(
[algorithm]
name = "getset-timestamp"
[workload]
lease = "2s"
work = ["read", "hold 400ms", "write"]
rounds = 2
think_time = "300ms"
attempts = 3
on_error = "release"
[[client]]
name = "client-1"
clock = "+1500ms"
[network]
latency = "300us"
timeout = "500ms"
on_timeout = "discard"
[explore]
retry = "T/2"
start = "0s"
[[explore.fault]]
kind = "resend"
for = ["500ms", "T+grid"]
)"},
                         {"FailoverInTheMidstOfACommand", R"(
[algorithm]
name = "getset-timestamp"
[workload]
lease = "1s"
work = ["hold 2200ms"]
attempts = 2
[servers]
redis = 2
[[server]]
name = "redis-2"
replica_of = "redis-1"
[[client]]
name = "client-1"
start = "1100ms"
work = ["hold 1s"]
[[client]]
name = "client-2"
start = "1100ms"
clock = "-700ms"
[network]
replication = "5ms"
latency = "2ms"
[explore]
retry = "T/2"
[[explore.fault]]
kind = "failover"
)"},
                         {"SubscriberSuspendedDuringARestart", R"(
[algorithm]
name = "token-pubsub-repaired"
[workload]
lease = "2s"
work = ["hold 1s", "read", "write"]
attempts = 2
[[client]]
name = "client-2"
start = "500ms"
work = ["read", "hold 400ms", "write"]
[[fault]]
kind = "restart"
target = "redis-1"
for = "600ms"
when = "client-1 exits"
after = "1ms"
[explore]
retry = "T"
[[explore.fault]]
kind = "suspend"
target = "clients"
for = ["T"]
)"},
                         {"CopyOfAMasterThatWasDown", R"(
[algorithm]
name = "redisson"
watchdog_timeout = "1500ms"
[workload]
lease = "2s"
work = ["hold 700ms"]
attempts = 3
[servers]
redis = 2
[[server]]
name = "redis-2"
replica_of = "redis-1"
[[client]]
name = "client-1"
start = "1ms"
work = ["hold 100ms"]
[[client]]
name = "client-2"
start = "1ms"
[network]
replication = "5ms"
latency = "1ms"
[[fault]]
kind = "failover"
target = "redis-1"
to = "redis-2"
when = "client-1 exits"
after = "400ms"
[explore]
retry = "T/2"
[[explore.fault]]
kind = "power-cut"
for = ["3s"]
)"},
                         // Only if client-3 sends before the power cut of the same instant is its first command lost.
                         {"SentAtTheInstantOfAPowerCut", R"(
[algorithm]
name = "set-ex-del"
[workload]
clients = 3
lease = "1s"
work = ["hold 2200ms"]
attempts = 2
[[server]]
name = "redis-1"
persistence = "aof-always"
[[client]]
name = "client-1"
work = ["hold 1s", "read", "write"]
[[client]]
name = "client-2"
start = "1100ms"
work = ["read", "hold 400ms", "write"]
[[client]]
name = "client-3"
start = "1ms"
[network]
latency = "1ms"
[explore]
retry = "T/3"
[[explore.fault]]
kind = "power-cut"
for = ["2ms"]
)"},
                         {"KindOfAStandstill", R"(
[algorithm]
name = "set-px-token"
[workload]
lease = "2s"
rounds = 2
think_time = "300ms"
attempts = 2
start = "1ms"
work = ["hold 1500ms"]
on_error = "release"
[[client]]
name = "client-2"
rounds = 1
work = ["hold 100ms"]
[network]
latency = "2ms"
[judge]
progress = "1500ms"
[explore]
retry = "T"
[[explore.fault]]
kind = "break-connection"
)"},
                         {"FaultsOfAConnectionThatItsClientHasClosed", R"(
[algorithm]
name = "set-px-token"
[workload]
lease = "1s"
rounds = 1
attempts = 2
work = ["hold 100ms"]
[network]
latency = "2ms"
timeout = "3ms"
[explore]
retry = "T"
max_faults = 2
[[explore.fault]]
kind = "restart"
for = "3s"
[[explore.fault]]
kind = "half-open"
)"},
                         {"OrderInWhichTwoFailoversWereProvoked", R"(
[algorithm]
name = "set-ex-del"
[workload]
clients = 2
lease = "1s"
work = ["hold 100ms"]
attempts = 2
on_error = "give-up"
[servers]
redis = 3
[[server]]
name = "redis-2"
replica_of = "redis-1"
[[server]]
name = "redis-3"
replica_of = "redis-1"
[network]
replication = "3ms"
latency = "1ms"
[explore]
retry = "T/3"
max_faults = 2
[[explore.fault]]
kind = "failover"
most = 2
)"}};

INSTANTIATE_TEST_SUITE_P(Of, OnceToldApart, testing::ValuesIn(told),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace lockproof::sim
