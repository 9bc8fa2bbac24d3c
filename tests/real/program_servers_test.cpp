// SPDX-License-Identifier: Apache-2.0
// Programs whose lock is on several servers: one command at a time over all of them, names of events with their
// server, and a lock that belongs to who has the majority.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "harness/check/properties.hpp"
#include "tests/real/on_time.hpp"
#include "tests/real/programs.hpp"

namespace lockproof::tests::program_servers_test {
namespace {

using harness::Event;
using harness::What;
using programs::kind_of;
using programs::RunOutcome;

const char* const on_all = R"PY(
wires = []
for address in os.environ["LOCKPROOF_SERVERS"].split(","):
    host, port = address.split(":")
    one = socket.create_connection((host, int(port)))
    wires.append((one, one.makefile("rb")))
same = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end"
def ask_all(*words):
    global wire, replies
    got = []
    for wire, replies in wires: got.append(ask(*words))
    return got
)PY";

const char* const by_majority = R"PY(
    if do == "acquire":
        while True:
            begun = time.monotonic()
            won = ask_all("SET", "lock", me, "NX", "PX", lease).count(b"+OK") * 2 > len(wires)
            if won and time.monotonic() - begun < lease / 1000: break
            ask_all("EVAL", same, 1, "lock", me)
            time.sleep(lease / 6000)
        say("acquired"); continue
    if do == "release":
        ask_all("EVAL", same, 1, "lock", me)
        say("released"); continue
)PY";

RunOutcome run_on_three(const std::string& faults) {
  RunOutcome ran{
      programs::scenario(programs::lock(by_majority, on_all), "[servers]\nredis = 3\n" + faults, "", "1500ms"), {}, {}};
  ran.history = real::run(ran.scenario, {});
  ran.findings = check::judge(ran.history, ran.scenario);
  return ran;
}

std::string flush(int server) {
  return "[[fault]]\nkind = \"flush\"\ntarget = \"redis-" + std::to_string(server) + "\"\nwhen = \"client-1 enters\"\n";
}

TEST(ProgramOnServers, AMajorityIsFoundGood) {
  const RunOutcome ran = run_on_three("");
  for (const check::Finding& finding : ran.findings) {
    EXPECT_NE(finding.verdict, check::Verdict::violated) << finding.property << ": " << finding.what;
  }
  EXPECT_EQ(programs::count(ran, What::enter), 2);
}

TEST(ProgramOnServers, OneCommandIsUnderWayAtATime) {
  const RunOutcome ran = run_on_three("");
  bool under_way = false;
  for (const Event& event : ran.history.events) {
    const bool of_server =
        event.peer != harness::no_host && ran.history.host_kind(event.peer) == harness::HostKind::server;
    if (event.what == What::send && of_server) {
      EXPECT_FALSE(under_way) << event.at.count();
      under_way = true;
    }
    if (event.what == What::execute && ran.history.host_kind(event.host) == harness::HostKind::server) {
      under_way = false;
    }
  }
}

TEST(ProgramOnServers, OneOfThreeMayLoseItsKeysAndTwoMayNot) {
  EXPECT_EQ(kind_of(run_on_three(flush(1)), "mutual-exclusion"), "");
  EXPECT_EQ(kind_of(run_on_three(flush(1) + flush(2)), "mutual-exclusion"), "double-grant");
}

TEST(ProgramOnServers, AnEventIsNamedWithItsServer) {
  const RunOutcome ran = run_on_three(
      "[[fault]]\nkind = \"half-open\"\ntarget = \"client-1\"\nwhen = \"client-1 before SET free to redis-2\"\n");
  const auto dropped = std::ranges::find(ran.history.events, What::drop, &Event::what);
  ASSERT_NE(dropped, ran.history.events.end());
  EXPECT_EQ(ran.history.host_name(dropped->peer), "redis-2");
  EXPECT_EQ(kind_of(ran, "answers"), "acquire");
}

// A broken connection is made again, over the address that it was given.
const char* const connects_again = R"PY(
once = ask
def ask(*words):
    global wire, replies
    while True:
        try:
            got = once(*words)
            if got: return got
        except OSError: pass
        time.sleep(0.005)
        try:
            wire = socket.create_connection((server[0], int(server[1]))); replies = wire.makefile("rb")
        except OSError: pass
)PY";

/// Its master dies after client-1 has entered, so much later.
RunOutcome run_failed_over(const std::string& replication, const std::string& delay) {
  const std::string replica = "[servers]\nredis = 2\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n";
  const std::string fault =
      "[[fault]]\nkind = \"failover\"\ntarget = \"redis-1\"\nto = \"redis-2\"\nwhen = \"client-1 enters\"\nafter = \"" +
      delay + "\"\n";
  RunOutcome ran{
      programs::scenario(programs::lock("", connects_again),
                         replica + "[network]\nreplication = \"" + replication + "\"\n" + fault, "", "1500ms"),
      {},
      {}};
  ran.history = run_on_time(ran.scenario);
  ran.findings = check::judge(ran.history, ran.scenario);
  return ran;
}

TEST(ProgramOnServers, AGrantThatTheReplicaDoesNotKnowIsLostInAFailover) {
  const RunOutcome ran = run_failed_over("300ms", "0s");
  EXPECT_EQ(kind_of(ran, "mutual-exclusion"), "double-grant");
  EXPECT_EQ(programs::count(ran, What::replicate), 0);
}

TEST(ProgramOnServers, AGrantThatTheReplicaKnowsKeepsItsOwner) {
  const RunOutcome ran = run_failed_over("1ms", "100ms");
  EXPECT_EQ(kind_of(ran, "mutual-exclusion"), "");
  EXPECT_EQ(kind_of(ran, "owner-release"), "");
  EXPECT_EQ(kind_of(ran, "survives"), "");
  EXPECT_EQ(programs::count(ran, What::enter), 2);
  const auto copied = std::ranges::find(ran.history.events, What::replicate, &Event::what);
  ASSERT_NE(copied, ran.history.events.end());
  EXPECT_EQ(copied->command->verb(), "SET");
  const auto released = std::ranges::find_if(ran.history.events, [](const Event& e) {
    return e.what == What::execute && !e.effects.empty() && e.effects.back().change == harness::Change::released;
  });
  ASSERT_NE(released, ran.history.events.end());
  EXPECT_EQ(ran.history.host_name(released->host), "redis-2") << "where the address leads by then";
}

}  // namespace
}  // namespace lockproof::tests::program_servers_test
