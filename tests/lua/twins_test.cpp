// SPDX-License-Identifier: Apache-2.0
// Locks in Lua beside the same locks in C++: nothing but the language may differ, in a run and in a search.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "harness/report/trace.hpp"
#include "harness/scenario/file/parse_algorithm.hpp"
#include "sim/run.hpp"
#include "tests/search/both_engines.hpp"

namespace lockproof::twins_test {
namespace {

constexpr const char* of_keys =
    "[[explore.fault]]\nkind = \"evict\"\n[[explore.fault]]\nkind = \"crash\"\n"
    "[[explore.fault]]\nkind = \"break-connection\"\n";
constexpr const char* of_sessions =
    "[[explore.fault]]\nkind = \"pause\"\nfor = \"9s\"\n"
    "[[explore.fault]]\nkind = \"break-connection\"\n";

struct Twins {
  const char* name;
  const char* file;  // below the source tree
  const char* servers = "";
  const char* lock = "";  // more of [algorithm]
  const char* faults = of_keys;
};

constexpr const char* replicated = "[servers]\nredis = 2\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n";
constexpr Twins twins[] = {
    {"set-px-token", "scenarios/lua/set_px_token.lua"},
    {"set-ex-get-del", "scenarios/lua/get_then_del.lua"},
    {"redlock", "scenarios/lua/redlock.lua", "[servers]\nredis = 3\n"},
    {"getset-timestamp", "tests/lua/locks/getset_timestamp.lua"},
    {"fenced-token", "tests/lua/locks/fenced_token.lua", "[resource]\nfencing = \"all\"\n"},
    {"guard-thread-repaired", "tests/lua/locks/guard_thread_repaired.lua"},
    {"token-pubsub-repaired", "tests/lua/locks/token_pubsub_repaired.lua"},
    {"memcached-add-cas", "scenarios/lua/new/memcached.lua"},
    {"set-px-token-wait", "tests/lua/locks/set_px_token_wait.lua", replicated, "wait = \"1s\"\n"},
    {"postgres-advisory", "scenarios/lua/new/postgres.lua", "", "", of_sessions},
};

/// They are like those of the catalogue, and not the same: the commands of some are others.
constexpr Twins alike[] = {
    {"set-px-token", "scenarios/lua/new/redis.lua"},
    {"zookeeper-queue", "scenarios/lua/new/zookeeper.lua", "", "", of_sessions},
    {"etcd-mutex", "scenarios/lua/new/etcd.lua", "", "", of_sessions},
    {"chubby-sequencer", "scenarios/lua/new/chubby.lua", "[resource]\nfencing = \"all\"\n", "lock_delay = \"0s\"\n",
     of_sessions},
};

std::string test_name(std::string file) {
  std::ranges::replace_if(
      file, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return file;
}

/// The scenario with the lock of the catalogue, and with the one in Lua.
std::pair<harness::Scenario, harness::Scenario> pair(const Twins& of, const std::string& text) {
  const std::string rest = of.lock + text + of.servers;
  const std::string written = fmt::format("[algorithm]\nname = \"{}\"\n{}", of.name, rest);
  const std::string in_lua = fmt::format("[algorithm]\nfile = \"{}/{}\"\n{}", LOCKPROOF_SOURCE, of.file, rest);
  return {harness::parse_scenario("twins.toml", written), harness::parse_scenario("twins.toml", in_lua)};
}

/// What a person reads of a run: the texts of scripts, which differ in their comments, are not in it.
std::vector<std::string> lines(const harness::History& history) {
  std::istringstream text(harness::trace(history, harness::Style(false)));
  std::vector<std::string> all;
  for (std::string line; std::getline(text, line);) all.push_back(line);
  return all;
}

std::string searched(const char* faults) {
  return fmt::format(
      "[workload]\nlease = \"4s\"\nwork = [\"read\", \"hold 2s\", \"write\"]\n\n[explore]\nretry = \"T/2\"\n"
      "attempts = 2\nfailed_attempts = 1\ncontention = \"as-written\"\n{}",
      faults);
}

class LuaTwins : public testing::TestWithParam<Twins> {};

TEST_P(LuaTwins, RunAlike) {
  const auto [one, other] = pair(GetParam(), R"(
[workload]
clients = 3
rounds = 3
lease = "2s"
acquire_timeout = "20s"
work = ["read", "hold 900ms", "write"]
[network]
latency = ["1ms", "40ms"]
timeout = "300ms"
[[fault]]
kind = "pause"
target = "client-1"
when = "client-1 enters"
for = "2500ms"
[[fault]]
kind = "delay"
target = "client-2"
when = "client-2 before release"
by = "1s"
[[fault]]
kind = "clock-jump"
target = "client-3"
at = "3s"
by = "+700ms"
)");
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const std::vector<std::string> written = lines(sim::run(one, seed)), in_lua = lines(sim::run(other, seed));
    ASSERT_GT(written.size(), 20u);
    for (std::size_t i = 0; i < std::min(written.size(), in_lua.size()); ++i) ASSERT_EQ(written[i], in_lua[i]);
    EXPECT_EQ(written.size(), in_lua.size());
  }
}

TEST_P(LuaTwins, AreSearchedAlike) {
  const auto [written_down, in_lua] = pair(GetParam(), searched(GetParam().faults));
  const harness::Bounds bounds = written_down.explore.value();
  const harness::Scenario one = sim::bounded(written_down, bounds, false), other = sim::bounded(in_lua, bounds, false);
  const sim::Exploration written = sim::explore_stateful(one, bounds, {});
  EXPECT_TRUE(written.complete);
  EXPECT_FALSE(written.broken.empty());
  tests::expect_same_search(written, sim::explore_stateful(other, bounds, {}));
  const sim::Exploration exchanged = sim::explore_stateful(one, bounds, {.exchange = true});
  EXPECT_LT(exchanged.states, written.states);
  tests::expect_same_search(exchanged, sim::explore_stateful(other, bounds, {.exchange = true}));
}

TEST_P(LuaTwins, AreSearchedAlikeByBothEngines) {
  const auto [one, other] = pair(GetParam(), searched("max_faults = 0\n"));
  EXPECT_TRUE(tests::searched_by_both(other));
}

class LuaLocksToBeginWith : public testing::TestWithParam<Twins> {};

TEST_P(LuaLocksToBeginWith, BreakAsThoseOfTheCatalogue) {
  const auto [written, in_lua] = pair(GetParam(), searched(GetParam().faults));
  const auto kinds = [](const harness::Scenario& scenario) {
    const sim::Exploration found =
        sim::explore_stateful(sim::bounded(scenario, scenario.explore.value(), false), *scenario.explore, {});
    EXPECT_TRUE(found.complete);
    std::set<sim::ViolationKind> broken;
    for (const auto& [kind, one] : found.broken) broken.insert(kind);
    return broken;
  };
  EXPECT_EQ(kinds(written), kinds(in_lua));
}

INSTANTIATE_TEST_SUITE_P(EachService, LuaLocksToBeginWith, testing::ValuesIn(alike),
                         [](const auto& twin) { return test_name(twin.param.file); });
INSTANTIATE_TEST_SUITE_P(EachLock, LuaTwins, testing::ValuesIn(twins),
                         [](const auto& twin) { return test_name(twin.param.file); });

}  // namespace
}  // namespace lockproof::twins_test
