// SPDX-License-Identifier: Apache-2.0
// Scenarios whose states the engines once told apart in different ways, most of them drawn at random and made smaller.
#include "harness/scenario/file/parse.hpp"
#include "tests/search/both_engines.hpp"

namespace lockproof::sim::told_apart_test {
namespace {

struct Told {
  const char* name;
  const char* text;
};
class OnceToldApart : public testing::TestWithParam<Told> {};

TEST_P(OnceToldApart, IsSearchedAlikeByBothEngines) {
  EXPECT_TRUE(tests::searched_by_both(harness::parse_scenario("told.toml", GetParam().text)));
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
)"},
                         {"ConnectionThatEndsAfterItsClientHasTurnedToAnotherServer", R"(
[algorithm]
name = "set-px-token"
[workload]
clients = 1
lease = "1s"
work = ["hold 700ms"]
[servers]
redis = 2
[[server]]
name = "redis-2"
replica_of = "redis-1"
[network]
replication = "1ms"
latency = "1ms"
[explore]
max_faults = 2
[[explore.fault]]
kind = "break-connection"
[[explore.fault]]
kind = "failover"
)"}};

INSTANTIATE_TEST_SUITE_P(Of, OnceToldApart, testing::ValuesIn(told),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace lockproof::sim::told_apart_test
