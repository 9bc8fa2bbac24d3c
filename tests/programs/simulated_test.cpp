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
#include "harness/input_error.hpp"
#include "harness/scenario/file/parse.hpp"
#include "programs/programs.hpp"
#include "sim/explore/exploration.hpp"
#include "sim/explore/reexecution/reexecution_engine.hpp"
#include "sim/explore/state_space/stateful_engine.hpp"
#include "sim/program_key.hpp"
#include "sim/run.hpp"

namespace lockproof {
namespace {

const std::string python = "/usr/bin/python3";

harness::Scenario parsed(const std::string& lock, const std::string& rest) {
  const std::string file = std::string(LOCKPROOF_SOURCE) + "/tests/programs/clients/scenario.toml";
  harness::Scenario scenario = harness::parse_scenario(file, "[algorithm]\n" + lock + "\n" + rest);
  if (!scenario.program) return scenario;
  programs::put_in_virtual_time(scenario);
  scenario.program->in_virtual_time.key = sim::key_of_program(scenario);
  return scenario;
}

harness::Scenario of_program(const std::string& client, const std::string& rest) {
  return parsed(fmt::format("command = [\"{}\", \"{}\"]", python, client), rest);
}

/// It claims what locks in C++ are judged by, and nothing else.
harness::Scenario of_a_twin(const std::string& client, const std::string& rest) {
  std::string claims;
  for (const check::Property& property : check::properties()) {
    if (property.name != "loss-notification") claims += fmt::format("\"{}\", ", property.name);
  }
  return parsed(fmt::format("command = [\"{}\", \"{}\"]\nclaims = [{}]", python, client, claims), rest);
}

harness::Scenario of_the_catalogue(const std::string& name, const std::string& rest) {
  return parsed(fmt::format("name = \"{}\"", name), rest);
}

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
  EXPECT_EQ(verdict(sim::run(twin, 1), twin, "owner-release"), "not-found");
}

TEST(SimulatedProgram, ACrashEndsIt) {
  const std::string crash = "[[fault]]\nkind = \"crash\"\ntarget = \"client-1\"\nwhen = \"client-1 enters\"\n";
  const harness::Scenario scenario = of_program("set_px_token.py", plain + crash);
  const harness::History history = sim::run(scenario, 1);
  int sent = 0;
  for (const harness::Event& event : history.events) sent += event.host == 0 && event.what == harness::What::send;
  EXPECT_EQ(sent, 1);
  EXPECT_EQ(verdict(history, scenario, "mutual-exclusion"), "not-found") << "the lease ends, and others go on";
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
  EXPECT_EQ(scenario.program->in_virtual_time.key, "mutex:lock");
  const harness::History history = sim::run(scenario, 1);
  for (const char* const property : {"grant-is-valid", "mutual-exclusion", "owner-release"}) {
    EXPECT_EQ(verdict(history, scenario, property), "not-found");
  }
  const harness::Scenario flushed =
      parsed(fmt::format("command = [\"{}\", \"set_px_token.py\"]\nenvironment = {{ PREFIX = \"mutex:\" }}", python),
             plain + "[[fault]]\nkind = \"evict\"\ntarget = \"redis-1\"\nwhen = \"client-1 enters\"\n");
  EXPECT_EQ(verdict(sim::run(flushed, 1), flushed, "mutual-exclusion"), "violated double-grant");
}

TEST(SimulatedProgram, ItsTouchesReachTheResource) {
  const std::string touching = "[workload]\nlease = \"2s\"\nwork = [\"touch\", \"hold 100ms\", \"touch\"]\n";
  int touches = 0;
  for (const harness::Event& event : sim::run(of_program("set_px_token.py", touching), 1).events) {
    touches += event.what == harness::What::execute && event.command && event.command->verb() == "TOUCH";
  }
  EXPECT_EQ(touches, 4) << "two clients, two touches each";
}

// What makes a lock in C++ remember as a program does: its state is all that ever reached it, and when, and its tokens
// are texts that follow from that.

struct Memory {
  Clock& clock;
  State all{};
  void add(Value what) {
    all.emplace_back(std::move(what));
    all.emplace_back(clock.mono());
  }
};

class RememberedStore final : public Store {
 public:
  RememberedStore(Store& store, Memory& memory) : store_(store), memory_(memory) {}
  Task<Result<Reply>> call(Command command) override {
    Result<Reply> reply = co_await store_.call(std::move(command));
    memory_.add(reply ? Value(fmt::format("{} {}", reply->integer(), reply->value().bytes())) : Value("none"));
    co_return reply;
  }

 private:
  Store& store_;
  Memory& memory_;
};

class OneRememberedStore final : public Stores {
 public:
  OneRememberedStore(Stores& stores, Memory& memory) : store_(stores.at(0), memory) {}
  [[nodiscard]] std::size_t size() const override { return 1; }
  Store& at(std::size_t) override { return store_; }
  Task<Replies> gather(Command, Duration) override { co_return Replies{}; }

 private:
  RememberedStore store_;
};

class TextTokens final : public Random {
 public:
  explicit TextTokens(Random& random) : random_(random) {}
  Token token() override {
    const std::string drawn = random_.token().bytes();  // "c1.1"
    return Token(fmt::format("{} {}", drawn.substr(0, drawn.find('.')), ++count_));
  }
  Duration between(Duration least, Duration most) override { return random_.between(least, most); }

 private:
  Random& random_;
  int count_ = 0;
};

class Remembers final : public Lock {
 public:
  Remembers(const Algorithm& of, Ports ports, const Parameters& parameters)
      : memory_{ports.clock}, stores_(ports.servers, memory_), tokens_(ports.random),
        lock_(of.make({stores_, ports.clock, tokens_}, parameters)) {
    memory_.add("begins");
  }
  Task<Attempt> try_acquire(Name name, std::optional<milliseconds> lease) override {
    memory_.add("acquire");
    Attempt attempt = co_await lock_->try_acquire(std::move(name), lease);
    co_return attempt;
  }
  Task<Result<Released>> release(Grant grant) override {
    memory_.add("release");
    Result<Released> released = co_await lock_->release(std::move(grant));
    co_return released;
  }
  [[nodiscard]] Retry retry() const override { return lock_->retry(); }
  [[nodiscard]] State state() const override { return memory_.all; }

 private:
  Memory memory_;
  OneRememberedStore stores_;
  TextTokens tokens_;
  std::unique_ptr<Lock> lock_;
};

struct Remembering final : Maker::OfAFile {
  explicit Remembering(const Algorithm& of) : inner(of), algorithm(of) { algorithm.make = Maker(*this); }
  [[nodiscard]] std::unique_ptr<Lock> make(Ports ports, const Parameters& parameters) const override {
    return std::make_unique<Remembers>(inner, ports, parameters);
  }
  const Algorithm& inner;
  Algorithm algorithm;
};

std::string searched(const harness::Scenario& scenario) {
  const harness::Bounds bounds = scenario.explore.value();
  const sim::Exploration found =
      sim::explore_stateful(sim::bounded(scenario, bounds, false), bounds, {.reduce = false, .estimate = false});
  std::string text = fmt::format("{} states, {} transitions, {} ends{}", found.states, found.transitions,
                                 found.terminal, found.complete ? "" : ", not complete: " + found.stopped);
  for (const auto& [way, broken] : found.broken) {
    text += fmt::format("; {} {} by {} in {}", way.first, way.second, broken.faults, broken.depth);
  }
  return text;
}

const std::string spaces[] = {
    "[explore]\nrounds = 1\nattempts = 3\ncontention = \"as-written\"\n",
    "[explore]\nrounds = 1\nattempts = 3\ncontention = \"as-written\"\nmax_faults = 1\n[[explore.fault]]\nkind = "
    "\"pause\"\nfor = \"2500ms\"\n",
    "[explore]\nrounds = 1\nattempts = 2\ncontention = \"as-written\"\nmax_faults = 1\n[[explore.fault]]\nkind = "
    "\"crash\"\n",
};

TEST(SearchedProgram, HasTheStatesTransitionsAndFindingsOfItsTwinInCpp) {
  const std::string base =
      "[workload]\nclients = 2\nlease = \"2s\"\nretry = \"700ms\"\nwork = [\"hold 900ms\"]\n"
      "[[client]]\nname = \"client-2\"\nstart = \"500ms\"\n"
      "[judge]\nprogress = \"16s\"\nanswers = \"16s\"\n"
      "[network]\nlatency = \"5ms\"\ntimeout = \"1000s\"\n";
  const std::pair<const char*, const char*> twins[] = {{"set_px_token.py", "set-px-token"},
                                                       {"get_then_del.py", "set-ex-get-del"}};
  for (const auto& [client, name] : twins) {
    const Remembering remembering(*find_algorithm(name));
    for (const std::string& space : spaces) {
      harness::Scenario other = of_the_catalogue(name, base + space);
      other.algorithm = harness::AlgorithmRef(&remembering.algorithm);
      other.network.timeout = harness::for_ever;  // the program has none either: when a command left is no part of it
      EXPECT_EQ(searched(of_a_twin(client, base + space)), searched(other)) << name << "\n" << space;
    }
  }
}

const std::string two_clients =
    "[workload]\nclients = 2\nlease = \"2s\"\nwork = [\"hold 900ms\"]\nretry = \"700ms\"\n[network]\nlatency = "
    "\"5ms\"\n";

/// A search with at most one pause, which outlives the lease, of a client that releases for ever.
sim::Exploration searched_for_ever(const std::string& rest) {
  const harness::Scenario scenario =
      parsed(fmt::format("command = [\"{}\", \"releases_for_ever.py\", \"0.7\"]", python),
             two_clients + rest +
                 "[judge]\nanswers = \"10s\"\nprogress = \"10s\"\n[explore]\nrounds = 1\nattempts = 5\nmax_faults = 1\n"
                 "[[explore.fault]]\nkind = \"pause\"\nfor = \"2500ms\"\n");
  const harness::Bounds bounds = scenario.explore.value();
  return sim::explore_stateful(sim::bounded(scenario, bounds, false), bounds, {.estimate = false});
}

TEST(SearchedProgram, OneThatWillNeverAnswerIsFoundAndNotFollowed) {
  const sim::Exploration found = searched_for_ever("");
  EXPECT_TRUE(found.complete) << found.stopped;
  EXPECT_TRUE(found.broken.contains({"answers", "release"}));
  EXPECT_TRUE(found.judged.contains("survives"));
  EXPECT_GT(found.unanswered, 0u);
  EXPECT_EQ(found.at_horizon, 0u);
}

TEST(SearchedProgram, NothingIsSearchedBeyondTheHorizon) {
  const sim::Exploration found = searched_for_ever("[run]\nhorizon = \"8s\"\n");
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.stopped, sim::at_the_horizon);
  EXPECT_GT(found.at_horizon, 0u);
  EXPECT_FALSE(found.broken.contains({"answers", "release"})) << "before the bound is over";
}

TEST(SearchedProgram, WhatItDidBeforeItWasReadyComesBeforeAllElse) {
  const harness::Scenario scenario =
      of_program("greets_early.py", two_clients + "[explore]\nrounds = 1\nattempts = 3\nmax_faults = 0\n");
  const harness::Bounds bounds = scenario.explore.value();
  const sim::Exploration found = sim::explore_stateful(sim::bounded(scenario, bounds, false), bounds, {});
  EXPECT_TRUE(found.complete) << found.stopped;
  EXPECT_TRUE(found.broken.empty()) << "a client that was not begun would never get the lock";
}

using Engine = sim::Exploration (*)(const harness::Scenario&, const harness::Bounds&, const sim::Limits&);

sim::Exploration searched_by(Engine engine, const harness::Scenario& scenario) {
  const harness::Bounds bounds = scenario.explore.value();
  return engine(sim::bounded(scenario, bounds, false), bounds, {.estimate = false});
}

const std::string broken_once =
    "[judge]\nanswers = \"10s\"\nprogress = \"10s\"\n[explore]\nrounds = 1\nattempts = 3\nmax_faults = 1\n"
    "[[explore.fault]]\nkind = \"break-connection\"\n";

TEST(SearchedProgram, AConnectionCanBreakBeforeItsFirstRound) {
  const harness::Scenario scenario = of_program("greets_early.py", two_clients + broken_once);
  for (const Engine engine : {sim::explore_stateful, sim::explore_by_reexecution}) {
    const sim::Exploration found = searched_by(engine, scenario);
    EXPECT_TRUE(found.complete) << found.stopped;
    EXPECT_GT(found.of_budget.size(), 0u);
  }
}

/// The mistakes of careless.py, found without a word of what to look for; `finds` is empty if there is nothing.
void expect_found(const std::string& client, const std::string& rest, const sim::ViolationKind& finds) {
  const harness::Scenario scenario = parsed(fmt::format("command = [\"{}\", {}]", python, client), two_clients + rest);
  const sim::Exploration found = searched_by(sim::explore_stateful, scenario);
  EXPECT_TRUE(found.complete) << found.stopped;
  EXPECT_TRUE(found.judged.contains("survives"));
  EXPECT_TRUE(found.judged.contains("grant-is-valid"));
  for (const char* const property : {"survives", "grant-is-valid"}) {
    for (const auto& [way, broken] : found.broken) {
      EXPECT_TRUE(way.first != property || way == finds) << way.first << " " << way.second;
    }
  }
  EXPECT_TRUE(finds.first.empty() || found.broken.contains(finds)) << finds.first;
}

TEST(SearchedProgram, OneThatDiesOfABrokenConnectionIsFound) {
  expect_found(R"("careless.py", "dies")", broken_once, {"survives", "died"});
  expect_found(R"("set_px_token.py")", broken_once, {});
}

TEST(SearchedProgram, AGrantThatNobodyGaveIsFound) {
  const std::string no_fault = "[explore]\nrounds = 1\nattempts = 3\nmax_faults = 0\n";
  expect_found(R"("careless.py", "believes")", no_fault, {"grant-is-valid", "not-held"});
  expect_found(R"("set_px_token.py")", no_fault, {});
}

TEST(SearchedProgram, HowManyProcessesAreKeptChangesNothing) {
  std::optional<std::string> first;
  for (const std::size_t live : {1u, 2u, 16u}) {
    harness::Scenario scenario = of_program("set_px_token.py", two_clients + spaces[1]);
    programs::put_in_virtual_time(scenario, live);
    const std::string found = searched(scenario);
    EXPECT_EQ(found, first.value_or(found)) << live;
    first = found;
  }
}

TEST(SearchedProgram, TheOtherEngineEndsAtTheHorizonToo) {
  const harness::Scenario scenario = of_program("set_px_token.py",
                                                "[workload]\nclients = 1\nlease = \"2s\"\nwork = [\"hold 900ms\"]\n"
                                                "[run]\nhorizon = \"500ms\"\n[explore]\nrounds = 1\nmax_faults = 0\n");
  const sim::Exploration found = searched_by(sim::explore_by_reexecution, scenario);
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.stopped, sim::at_the_horizon);
}

TEST(SearchedProgram, AGrantThatDiesWithItsMasterIsFound) {
  const std::string replicated =
      "replication = [\"1ms\", \"50ms\"]\n[servers]\nredis = 2\n[[server]]\nname = \"redis-2\"\nreplica_of = "
      "\"redis-1\"\n[explore]\nrounds = 1\nattempts = 3\nmax_faults = {}\n[[explore.fault]]\nkind = \"failover\"\n";
  for (const int faults : {0, 1}) {
    const harness::Scenario scenario =
        of_program("set_px_token.py", two_clients + fmt::format(fmt::runtime(replicated), faults));
    const sim::Exploration found = searched_by(sim::explore_stateful, scenario);
    EXPECT_TRUE(found.complete) << found.stopped;
    EXPECT_EQ(found.broken.contains({"mutual-exclusion", "double-grant"}), faults > 0);
  }
}

TEST(SearchedProgram, WhatGoesOnInItForEverEndsWithItsClientUnlessItIsSeen) {
  const std::string short_run = two_clients +
                                "[judge]\nanswers = \"10s\"\nprogress = \"10s\"\n[run]\nhorizon = \"60s\"\n"
                                "[explore]\nrounds = 1\nattempts = 3\nmax_faults = 0\n";
  for (const Engine engine : {sim::explore_stateful, sim::explore_by_reexecution}) {
    for (const char* const what : {"ticks", "renews"}) {
      const harness::Scenario scenario =
          parsed(fmt::format("command = [\"{}\", \"background.py\", \"{}\"]", python, what), short_run);
      const sim::Exploration found = searched_by(engine, scenario);
      EXPECT_EQ(found.stopped, std::string_view(what) == "ticks" ? "" : sim::at_the_horizon) << what;
    }
  }
}

}  // namespace
}  // namespace lockproof
