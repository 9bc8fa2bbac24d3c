// SPDX-License-Identifier: Apache-2.0
// Programs of somebody else's in the simulator, beside the same locks in C++.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/check/properties.hpp"
#include "harness/history/jsonl.hpp"
#include "sim/run.hpp"
#include "tests/programs/scenarios.hpp"

namespace lockproof::simulated_test {
namespace {

using tests::of_program;
using tests::of_the_catalogue;
using tests::parsed;
using tests::python;

/// What happens, without what only C++ has: readings, draws, calls.
std::vector<std::string> outside(const harness::History& history) {
  std::vector<std::string> all;
  for (const harness::Event& event : history.events) {
    using harness::What;
    const bool message = event.what == What::send || event.what == What::execute || event.what == What::receive;
    const bool life = event.what == What::enter || event.what == What::exit || event.what == What::busy;
    if (message || life) {
      all.push_back(fmt::format("{} {} {}", event.at.count(), history.host_name(event.host), name(event.what)));
    }
  }
  return all;
}

std::string verdict(const harness::History& history, const harness::Scenario& scenario, const std::string& property) {
  for (const check::Finding& finding : check::judge(history, scenario)) {
    if (finding.property == property) {
      return std::string(name(finding.verdict)) + (finding.kind.empty() ? "" : " " + finding.kind);
    }
  }
  return "not judged";
}

const std::string plain = R"(
[workload]
clients = 3
rounds = 2
lease = "2s"
retry = "300ms"
work = ["hold 900ms"]
[[client]]
name = "client-2"
start = "500ms"
[[client]]
name = "client-3"
start = "1s"
[network]
latency = "5ms"
timeout = "100s"
)";

const std::string paused = R"(
[[fault]]
kind = "pause"
target = "client-1"
when = "client-1 before {}"
for = "2500ms"
)";

TEST(SimulatedProgram, RunsAsItsTwinInCppDoes) {
  const std::pair<const char*, const char*> twins[] = {{"set_px_token.py", "set-px-token"},
                                                       {"get_then_del.py", "set-ex-get-del"}};
  for (const auto& [client, name] : twins) {
    const harness::Scenario one = of_program(client, plain), other = of_the_catalogue(name, plain);
    EXPECT_EQ(outside(sim::run(one, 1)), outside(sim::run(other, 1))) << name;
  }
}

TEST(SimulatedProgram, TheSameRunIsTheSameBytes) {
  std::optional<std::string> first;
  for (int i = 0; i < 20; ++i) {
    const harness::Scenario scenario = of_program("set_px_token.py", plain);
    const std::string bytes = harness::to_jsonl(sim::run(scenario, 1));
    if (!first) first = bytes;
    ASSERT_EQ(bytes, *first) << "run " << i << ", with processes of its own";
  }
}

TEST(SimulatedProgram, APauseBetweenItsCommandsBreaksWhatItBreaksInCpp) {
  const std::string faults = plain + fmt::format(fmt::runtime(paused), "DEL");
  const harness::Scenario scenario = of_program("get_then_del.py", faults);
  EXPECT_EQ(verdict(sim::run(scenario, 1), scenario, "owner-release").substr(0, 8), "violated");
  const harness::Scenario twin = of_program("set_px_token.py", plain + fmt::format(fmt::runtime(paused), "release"));
  EXPECT_EQ(verdict(sim::run(twin, 1), twin, "owner-release"), "no-violation");
}

TEST(SimulatedProgram, WithPausesAtSendsItReadsItsClockAfterThePause) {
  const auto reply_took_ms = [](const std::string& pauses) {
    const harness::Scenario scenario =
        parsed(fmt::format("command = [\"{}\", \"reads_after_send.py\"]\n{}", python, pauses),
               plain + fmt::format(fmt::runtime(paused), "SET"));
    for (const harness::Event& event : sim::run(scenario, 1).events) {
      if (event.host == 0 && event.what == harness::What::granted) return event.fence.value_or(0);
    }
    return std::int64_t{0};
  };
  EXPECT_GT(reply_took_ms(""), 2500);
  EXPECT_GT(reply_took_ms("pauses = \"waits\"\n"), 2500);
  EXPECT_NEAR(static_cast<double>(reply_took_ms("pauses = \"sends\"\n")), 11, 2);
}

TEST(SimulatedProgram, NothingReachesItWhenItsClientIsDone) {
  const auto survives = [](int rounds) {
    const std::string two = fmt::format(
        "[workload]\nlease = \"2s\"\nwork = [\"hold 100ms\"]\nthink_time = \"5s\"\n[network]\nlatency = \"5ms\"\n"
        "[[client]]\nname = \"client-1\"\nrounds = {}\n[[client]]\nname = \"client-2\"\nstart = \"1s\"\n",
        rounds);
    const harness::Scenario scenario = of_program("late_message.py", two);
    return verdict(sim::run(scenario, 1), scenario, "survives");
  };
  EXPECT_EQ(survives(1), "no-violation");
  EXPECT_EQ(survives(2), "violated protocol") << "client-1 is told between its rounds";
}

TEST(SimulatedProgram, AfterAFailoverItsConnectionIsTheNewMasters) {
  const std::string fails_over =
      "[servers]\nredis = 2\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n"
      "[workload]\nclients = 1\nrounds = 2\nlease = \"2s\"\nwork = [\"hold 100ms\"]\n[network]\nlatency = \"5ms\"\n"
      "[[fault]]\nkind = \"failover\"\ntarget = \"redis-1\"\nto = \"redis-2\"\nwhen = \"client-1 enters\"\n";
  const auto releases = [&](const std::string& more) {
    std::string all;
    for (const harness::Event& event : sim::run(of_program("set_px_token.py", fails_over + more), 1).events) {
      if (event.what == harness::What::released) all += event.error ? "failed " : "released ";
    }
    return all;
  };
  const auto breaks = [](const char* server) {
    return fmt::format(
        "[[fault]]\nkind = \"break-connection\"\ntarget = \"client-1\"\npeer = \"{}\"\nwhen = "
        "\"client-1 enters round 2\"\n",
        server);
  };
  EXPECT_EQ(releases(""), "failed released ") << "the old master's connection has ended with it";
  EXPECT_EQ(releases(breaks("redis-2")), "failed failed ");
}

TEST(SimulatedProgram, ACrashEndsIt) {
  const std::string crash = "[[fault]]\nkind = \"crash\"\ntarget = \"client-1\"\nwhen = \"client-1 enters\"\n";
  const harness::Scenario scenario = of_program("set_px_token.py", plain + crash);
  const harness::History history = sim::run(scenario, 1);
  int sent = 0;
  for (const harness::Event& event : history.events) sent += event.host == 0 && event.what == harness::What::send;
  EXPECT_EQ(sent, 1);
  EXPECT_EQ(verdict(history, scenario, "mutual-exclusion"), "no-violation") << "the lease ends, and others go on";
}

/// It dies of another one.
TEST(SimulatedProgram, TheServersTimeIsThatOfItsWallClock) {
  const std::string rest = R"([workload]
clients = 1
lease = "2s"
work = ["hold 100ms"]
[[server]]
name = "redis-1"
clock = "1h"
)";
  int entered = 0;
  for (const harness::Event& event : sim::run(of_program("asks_time.py", rest), 1).events) {
    EXPECT_NE(event.what, harness::What::died) << event.word;
    entered += event.what == harness::What::enter;
  }
  EXPECT_EQ(entered, 1);
}

TEST(SimulatedProgram, ABrokenConnectionIsAnErrorOfItsOwn) {
  const std::string broken =
      "[[fault]]\nkind = \"break-connection\"\ntarget = \"client-1\"\npeer = \"redis-1\"\nwhen = \"client-1 before "
      "SET\"\n";
  const harness::History history = sim::run(of_program("set_px_token.py", plain + broken), 1);
  bool failed = false, entered = false;
  for (const harness::Event& event : history.events) {
    failed |= event.host == 0 && event.what == harness::What::failed;
    entered |= event.host == 0 && event.what == harness::What::enter && failed;
  }
  EXPECT_TRUE(failed);
  EXPECT_TRUE(entered) << "it opens another connection and goes on";
}

TEST(SimulatedProgram, ItMayNameTheLockAsItLikesOnItsServers) {
  const harness::Scenario scenario = parsed(
      fmt::format("command = [\"{}\", \"set_px_token.py\"]\nenvironment = {{ PREFIX = \"mutex:\" }}", python), plain);
  EXPECT_EQ(scenario.program->known_key.name, "mutex:lock");
  const harness::History history = sim::run(scenario, 1);
  for (const char* const property : {"grant-is-valid", "mutual-exclusion", "owner-release"}) {
    EXPECT_EQ(verdict(history, scenario, property), "no-violation");
  }
  const harness::Scenario flushed =
      parsed(fmt::format("command = [\"{}\", \"set_px_token.py\"]\nenvironment = {{ PREFIX = \"mutex:\" }}", python),
             plain + "[[fault]]\nkind = \"evict\"\ntarget = \"redis-1\"\nwhen = \"client-1 enters\"\n");
  EXPECT_EQ(verdict(sim::run(flushed, 1), flushed, "mutual-exclusion"), "violated double-grant");
}

TEST(SimulatedProgram, OnlyAPromiseCanBeOver) {
  const std::string late =
      "[workload]\nclients = 1\nlease = \"2s\"\nwork = [\"hold 900ms\"]\n[[fault]]\nkind = \"delay\"\ntarget = "
      "\"client-1\"\nwhen = \"client-1 before SET\"\nby = \"3s\"\n";
  const std::pair<const char*, const char*> clients[] = {{"\"promising.py\"", "violated expired"},
                                                         {"\"set_px_token.py\"", "no-violation"},
                                                         {"\"without_lease.py\"", "no-violation"}};
  for (const auto& [client, valid] : clients) {
    const harness::Scenario scenario = parsed(fmt::format("command = [\"{}\", {}]", python, client), late);
    EXPECT_EQ(verdict(sim::run(scenario, 1), scenario, "grant-is-valid"), valid) << client;
  }
}

TEST(SimulatedProgram, ItsTouchesReachTheResource) {
  const std::string touching = "[workload]\nlease = \"2s\"\nwork = [\"touch\", \"hold 100ms\", \"touch\"]\n";
  int touches = 0;
  for (const harness::Event& event : sim::run(of_program("set_px_token.py", touching), 1).events) {
    touches += event.what == harness::What::execute && event.command && event.command->verb() == "TOUCH";
  }
  EXPECT_EQ(touches, 4) << "two clients, two touches each";
}

TEST(SimulatedProgram, ItIsAnsweredInTheProtocolThatItAskedFor) {
  const harness::Scenario scenario = of_program("resp3.py", plain);
  const harness::History history = sim::run(scenario, 1);
  EXPECT_EQ(verdict(history, scenario, "survives"), "no-violation") << "it dies of an answer in another one";
  EXPECT_EQ(verdict(history, scenario, "mutual-exclusion"), "no-violation");
}

}  // namespace
}  // namespace lockproof::simulated_test
