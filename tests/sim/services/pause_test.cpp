// SPDX-License-Identifier: Apache-2.0
// What waited at a server while it stood still: in which orders it runs, service by service. Each test pins a sentence
// of docs/semantics/faults.md.
#include <algorithm>
#include <set>
#include <string>

#include "search/core/exploration.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::pause_test {
namespace {

const ViolationKind outlived{"mutual-exclusion", "outlived"}, owner_release{"owner-release", ""};

/// The violations of all schedules of clients that ask as written.
std::set<ViolationKind> broken_in(const std::string& lock, const std::string& text) {
  const harness::Scenario scenario = tests::scenario(text + "[explore]\ncontention = \"as-written\"\n", lock);
  const Exploration found =
      explore_stateful(bounded(scenario, *scenario.explore, false), *scenario.explore, {.exchange = true});
  EXPECT_TRUE(found.complete) << found.stopped;
  std::set<ViolationKind> ways;
  for (const auto& [way, broken] : found.broken) ways.insert(way);
  return ways;
}

/// A release and another client's request wait at a server that stands still past the lease.
std::string late_release(const std::string& server) {
  return "[workload]\nlease = \"2s\"\nretry = \"30s\"\nwork = [\"hold 1s\"]\n[network]\ntimeout = \"5s\"\n"
         "[[client]]\nname = \"client-2\"\nstart = \"2500ms\"\n"
         "[[fault]]\nkind = \"pause\"\ntarget = \"" +
         server + "\"\nwhen = \"client-1 before release\"\nfor = \"3s\"\n";
}

TEST(PostgresPause, TheNextOneMayRunBeforeALateRelease) {
  EXPECT_TRUE(broken_in("postgres-row-client-time", late_release("postgres-1")).contains(owner_release));
}

TEST(RedisPause, ALateReleaseRunsBeforeTheNextOne) {
  EXPECT_FALSE(broken_in("set-px-token", late_release("redis-1")).contains(owner_release));
  EXPECT_FALSE(broken_in("set-ex-del", late_release("redis-1")).contains(owner_release));
}

TEST(MemcachedPause, TheNextOneMayRunBeforeALateRelease) {
  EXPECT_TRUE(broken_in("memcached-add", late_release("memcached-1")).contains(owner_release));
}

/// A server stands still for longer than a session or lease, whose owner goes on working.
std::string owner_works_on(const std::string& server) {
  return "[workload]\nlease = \"10s\"\nwork = [\"hold 30s\"]\n[network]\ntimeout = \"20s\"\n"
         "[[client]]\nname = \"client-2\"\nstart = \"2s\"\n[[fault]]\nkind = \"pause\"\ntarget = \"" +
         server + "\"\nat = \"9s\"\nfor = \"15s\"\n[run]\nhorizon = \"200s\"\n";
}

TEST(ZooKeeperPause, ASessionMayEndBeforeItsPingsAreRead) {
  EXPECT_TRUE(broken_in("zookeeper-queue", owner_works_on("zookeeper-1")).contains(outlived));
}

TEST(EtcdPause, ALeaseMayEndBeforeItsKeepAliveIsRead) {
  EXPECT_TRUE(broken_in("etcd-key", owner_works_on("etcd-1")).contains(outlived));
}

/// When client-2 is granted the lock that ended while the server stood still, if its request runs before or after the
/// ticks.
harness::History after_ticks(const std::string& steps) {
  return tests::run(
      tests::scenario("[workload]\nlease = \"3s\"\nretry = \"500ms\"\nwork = [\"hold 1s\"]\n"
                      "[[client]]\nname = \"client-1\"\n"
                      "[[client]]\nname = \"client-2\"\nstart = \"4s\"\n"
                      "[[fault]]\nkind = \"crash\"\ntarget = \"client-1\"\nwhen = \"client-1 enters\"\n"
                      "[[fault]]\nkind = \"pause\"\ntarget = \"memcached-1\"\nat = \"1500ms\"\n"
                      "for = \"4s\"\n" +
                          steps,
                      "memcached-add"));
}

TEST(MemcachedPause, ARequestMayRunBeforeTheTicks) {
  using harness::What;
  const auto soon = after_ticks("[[step]]\nevent = \"memcached-1 unblocks\"\n");
  const auto late = after_ticks("[[step]]\nevent = \"memcached-1 serves client-2 add\"\n");
  EXPECT_TRUE(tests::where(soon, What::busy, "client-2").empty());
  EXPECT_FALSE(tests::where(late, What::busy, "client-2").empty());
}

}  // namespace
}  // namespace lockproof::sim::pause_test
