// SPDX-License-Identifier: Apache-2.0
// Scenarios of locks that are programs of their own: what they say, what they leave unsaid, and what is wrong with
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "harness/cannot_judge.hpp"
#include "harness/check/properties.hpp"
#include "harness/input_error.hpp"
#include "harness/scenario/faults/triggers.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_bounds.hpp"
#include "harness/scenario/file/write.hpp"

namespace lockproof::tests::program_scenario_test {
namespace {

using harness::CannotJudge;
using harness::Event;
using harness::EventPlace;
using harness::History;
using harness::HostKind;
using harness::InputError;
using harness::parse_scenario;
using harness::Scenario;
using harness::to_toml;
using harness::Triggers;
using harness::What;
using harness::Work;

Scenario parsed(const std::string& text) { return parse_scenario("test.toml", text); }
std::string complaint(const std::string& text) {
  try {
    static_cast<void>(parsed(text));
  } catch (const InputError& e) {
    return e.what();
  } catch (const CannotJudge& e) {
    return std::string("cannot judge: ") + e.what();
  }
  return "";
}
const std::string least = "[algorithm]\ncommand = [\"python3\", \"my.py\"]\n";

TEST(ProgramScenario, SaysWhatIsLeftUnsaid) {
  const Scenario s = parsed(least);
  EXPECT_EQ(s.speedup, 1);
  EXPECT_EQ(s.clients[0].plan.lease, milliseconds(300));
  EXPECT_EQ(s.clients[1].plan.start, milliseconds(75));
  EXPECT_EQ(std::ranges::count(s.clients[0].plan.work, Work::Kind::touch, &Work::kind), 3);
  EXPECT_EQ(s.answers, milliseconds(2400));
  EXPECT_EQ(s.progress, milliseconds(2400));
  EXPECT_EQ(s.notice, std::nullopt);  // it does not claim to tell of losses
  EXPECT_EQ(s.horizon, seconds(30));
}

/// Called from the folder that the scenario is in.
TEST(ProgramScenario, AFileBesideItIsNoProgramOfThatNameElsewhere) {
  const std::filesystem::path before = std::filesystem::current_path();
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "lockproof-beside-test";
  std::filesystem::create_directory(folder);
  std::filesystem::current_path(folder);
  std::ofstream("my_lock") << "";
  const std::string found = parsed("[algorithm]\ncommand = [\"./my_lock\"]\n").program->command.front();
  const std::string elsewhere = parsed("[algorithm]\ncommand = [\"true\"]\n").program->command.front();
  std::filesystem::current_path(before);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(found, "./my_lock");
  EXPECT_EQ(elsewhere, "true");
}

TEST(ProgramScenario, KeepsWhatIsWritten) {
  const Scenario s = parsed(least + "[workload]\nstart = \"0s\"\nwork = [\"hold 1s\"]\n");
  EXPECT_EQ(s.clients[0].plan.start, Duration{});
  EXPECT_EQ(s.clients[1].plan.start, Duration{});
  EXPECT_EQ(s.clients[1].plan.work, (std::vector<Work>{{Work::Kind::hold, seconds(1)}}));
  EXPECT_EQ(s.clients[1].plan.stop_on, harness::StopOn::loss);
  EXPECT_EQ(parsed(to_toml(s)).clients, s.clients) << to_toml(s);
  const Scenario by_period = parsed(least + "[workload]\nlease = \"3ms\"\nperiod = \"1s\"\nrounds = 200\n");
  EXPECT_EQ(by_period.clients[1].plan.start % milliseconds(1), Duration{});
  EXPECT_GT(by_period.horizon, seconds(200));
}

TEST(ProgramScenario, IsWrittenAndReadBack) {
  const std::string all = R"([algorithm]
command = "python3 -c 'print(1)' \"a b\""
environment = { A = "1", B = "x \" y" }
renews = true
claims = ["mutual-exclusion", "loss-notification"]
clock = "scaled"
rounds = "fresh"
pauses = "sends"

[workload]
lease = "6s"
work = ["touch", "hold 1s", "extend"]
on_error = "give-up"
stop_on = "deadline"

[[client]]
name = "client-2"
start = "0s"
work = ["hold 1s"]
stop_on = "nothing"

[[fault]]
kind = "pause"
target = "client-1"
when = "client-1 before SET free #2 round 1"
until = "client-2 enters"
longer = "45ms"
for = "750ms"

[[fault]]
kind = "crash"
target = "client-2"
when = "client-2 touches #2"

[judge]
answers = "9s"

[expect.real]
survives = "died"
)";
  const Scenario s = parsed(all);
  EXPECT_EQ(s.program->command, (std::vector<std::string>{"python3", "-c", "print(1)", "a b"}));
  EXPECT_EQ(s.speedup, 20);
  EXPECT_EQ(s.notice, seconds(6));
  EXPECT_EQ(s.faults[0].when->state, EventPlace::LockState::free);
  Scenario again = parsed(to_toml(s));
  again.text = s.text;
  for (std::size_t i = 0; i < s.faults.size(); ++i) again.faults[i].line = s.faults[i].line;
  EXPECT_EQ(again, s) << to_toml(s);
}

TEST(ProgramScenario, IsKeptOnTheServiceOfItsServers) {
  EXPECT_EQ(parsed(least).algorithm->service, Service::redis);
  const Scenario s = parsed(least + "[servers]\npostgres = 1\n");
  EXPECT_EQ(s.algorithm->service, Service::postgres);
  EXPECT_EQ(s.servers.at(0).name, "postgres-1");
  EXPECT_EQ(parsed(to_toml(s)).algorithm->service, Service::postgres);
  EXPECT_NE(
      complaint(least + "[servers]\nzookeeper = 1\n")
          .find("cannot judge: test.toml:4: [servers]: 'zookeeper' names servers on which lockproof cannot watch"),
      std::string::npos);
  EXPECT_NE(complaint(least + "[servers]\nredis = 1\npostgres = 1\n").find("test.toml:5: "), std::string::npos)
      << complaint(least + "[servers]\nredis = 1\npostgres = 1\n");
  EXPECT_NE(
      complaint(least + "[servers]\npostgres = 1\n[[fault]]\nkind = \"flush\"\ntarget = \"postgres-1\"\nat = \"1s\"\n")
          .find("flush"),
      std::string::npos);
}

TEST(ProgramScenario, ComplainsInOneSentence) {
  const auto expect = [](const std::string& text, const std::string& sentence) {
    EXPECT_NE(complaint(text).find(sentence), std::string::npos) << complaint(text);
  };
  expect("[algorithm]\ncommand = []\n", "test.toml:2: ");
  expect("[algorithm]\ncommand = []\n", "names no program");
  expect("[algorithm]\ncommand = \"python3 'x\"\n", "a quote is not closed");
  expect("[algorithm]\ncommand = [\"x\"]\nname = \"set-px-token\"\n", "are two locks");
  expect(least + "claims = [\"mutual-exlusion\"]\n", "did you mean 'mutual-exclusion'?");
  expect(least + "folder = \"nowhere\"\n", "there is no such folder");
  expect(least + "environment = { LD_PRELOAD = \"x\" }\n", "is set by lockproof itself");
  expect(least + "renews = 1\n", "must be true or false");
  expect(least + "on_error = \"give-up\"\n", "test.toml:3: ");
  expect(least + "on_error = \"give-up\"\n", "belongs under [workload]");
  expect(least + "[workload]\non_error = \"release\"\n", "cleans up by itself");
  expect(least + "[real]\nspeedup = 20\n", "lives by the machine's clock");
  expect(least + "[workload]\nwork = [\"read\"]\n", "a program is told to \"touch\" or to \"extend\"");
  expect("[algorithm]\nname = \"set-px-token\"\n[workload]\nwork = [\"touch\"]\n", "a program of its own can be told");
  const std::string fault = "[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nfor = \"1s\"\nwhen = ";
  expect("[algorithm]\nname = \"set-px-token\"\n" + fault + "\"client-1 touches\"\n", "only a program of its own");
  expect("[algorithm]\nname = \"set-px-token\"\n" + fault + "\"client-1 before SET round 0\"\n", "names round 0");
  expect(least + fault + "\"redis-1 before SET free\"\n", "names 'redis-1'");
  expect(least + fault + "\"client-1 enters\"\nuntil = \"client-2 before acquire\"\n", "name the command");
}

TEST(ProgramScenario, HasNoTaskThatEndsAlone) {
  const std::string fault = "[[fault]]\nkind = \"kill-task\"\ntarget = \"client-1\"\nat = \"1s\"\n";
  EXPECT_NE(complaint(least + fault).find("is 'kill-task', which cannot happen to a program"), std::string::npos);
  EXPECT_EQ(complaint("[algorithm]\nname = \"set-px-token\"\n" + fault), "");
  // Nor a library of lockproof's, which would send a command again.
  const std::string retry = "[[fault]]\nkind = \"retry\"\ntarget = \"client-1\"\nwhen = \"client-1 before SET\"\n";
  EXPECT_NE(complaint(least + retry).find("is 'retry', which cannot happen to a program"), std::string::npos);
  // A budget that many scenarios share has it for the others.
  const auto kinds = [](const std::string& text) {
    const Scenario s = parsed(text);
    return harness::load_budget(LOCKPROOF_SOURCE "/scenarios/budgets/one-server.toml", s).budget.size();
  };
  EXPECT_EQ(kinds(least) + 2, kinds("[algorithm]\nname = \"set-px-token\"\n"));
}

TEST(ProgramScenario, EventsAreCountedByWhoseTheLockIs) {
  const Scenario s = parsed(least +
                            "[[fault]]\nkind = \"crash\"\ntarget = \"client-1\"\n"
                            "when = \"client-1 before SET free #2\"\n");
  Triggers triggers(s, "client-1");
  const auto happens = [&](EventPlace::LockState state) {
    return triggers.happens(EventPlace::Moment::before, "SET", "client-1", 1, "redis-1", state).size();
  };
  EXPECT_EQ(happens(EventPlace::LockState::free), 0U);
  EXPECT_EQ(happens(EventPlace::LockState::held), 0U);
  EXPECT_EQ(happens(EventPlace::LockState::held), 0U);
  EXPECT_EQ(happens(EventPlace::LockState::free), 1U);
}

TEST(ProgramScenario, WhatIsNotClaimedIsNotJudged) {
  const Scenario s = parsed(least + "claims = [\"mutual-exclusion\"]\n");
  History history;
  history.header.hosts = {{"client-1", HostKind::client},
                          {"client-2", HostKind::client},
                          {"redis-1", HostKind::server},
                          {"resource", HostKind::resource}};
  Event died{.what = What::died};
  died.host = 0;
  died.value = 0;
  died.word = "ended by itself, with status 1";
  history.events.push_back(died);
  const auto survives = [&](const Scenario& of) {
    const std::vector<check::Finding> all = check::judge(history, of);
    return *std::ranges::find(all, "survives", &check::Finding::property);
  };
  EXPECT_FALSE(survives(s).judged);
  EXPECT_EQ(survives(parsed(least)).kind, "died");
}

}  // namespace
}  // namespace lockproof::tests::program_scenario_test
