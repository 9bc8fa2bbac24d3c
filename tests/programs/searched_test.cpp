// SPDX-License-Identifier: Apache-2.0
// Programs of somebody else's, searched: beside the same locks in C++, and with what only programs do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/check/properties.hpp"
#include "harness/program/program_effort.hpp"
#include "programs/programs.hpp"
#include "search/core/exploration.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/programs/scenarios.hpp"
#include "tests/search/same_search.hpp"

namespace lockproof::searched_test {
namespace {

using tests::of_program;
using tests::of_the_catalogue;
using tests::parsed;
using tests::python;

/// It claims what locks in C++ are judged by, and nothing else.
harness::Scenario of_a_twin(const std::string& client, const std::string& rest) {
  std::string claims;
  for (const check::Property& property : check::properties()) {
    if (property.name != "loss-notification") claims += fmt::format("\"{}\", ", property.name);
  }
  return parsed(fmt::format("command = [\"{}\", \"{}\"]\nclaims = [{}]", python, client, claims), rest);
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
  Task<Result<ReleaseResult>> release(Grant grant) override {
    memory_.add("release");
    Result<ReleaseResult> released = co_await lock_->release(std::move(grant));
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

struct Remembering final : Maker::FileAlgorithm {
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
    // The first is asked of programs only, the second of who promises something, which these programs do not.
    if (way.second == "not-held" || way.second == "expired") continue;
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
  const std::pair<const char*, const char*> twins[] = {
      {"set_px_token.py", "set-px-token"}, {"get_then_del.py", "set-ex-get-del"}, {"fenced_token.py", "fenced-token"}};
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

TEST(SearchedProgram, WithPausesAtSendsBothEnginesFindTheSame) {
  std::vector<std::uint64_t> states;
  for (const std::string pauses : {"waits", "sends"}) {
    const harness::Scenario scenario =
        parsed(fmt::format("command = [\"{}\", \"get_then_del.py\"]\npauses = \"{}\"", python, pauses),
               two_clients + spaces[1]);
    const sim::Exploration found = searched_by(sim::explore_stateful, scenario);
    const sim::Exploration again = searched_by(sim::explore_by_reexecution, scenario);
    EXPECT_TRUE(found.complete) << found.stopped;
    tests::expect_same_search(found, again);
    EXPECT_TRUE(found.broken.contains({"owner-release", ""}));
    states.push_back(found.states);
  }
  EXPECT_GT(states[1], states[0]);
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

/// What is known of the other histories is told, and that this is not all.
TEST(SearchedProgram, OneThatIsNoFunctionOfItsInputsIsNotFollowed) {
  harness::Scenario scenario = of_program("forgetful.py", two_clients + R"([explore]
attempts = 2
max_faults = 1
[[explore.fault]]
kind = "pause"
for = "3s"
)");
  const harness::Bounds bounds = scenario.explore.value();
  const harness::Scenario bounded = sim::bounded(scenario, bounds, false);
  const sim::Exploration found = sim::explore_stateful(bounded, bounds, {.estimate = false});
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.stopped, sim::at_a_difference);
  EXPECT_GT(found.given_up, 0u);
  EXPECT_GT(found.states, 100u);
  const auto executed = scenario.program->in_virtual_time.programs->executed();
  EXPECT_TRUE(std::ranges::any_of(executed.noticed, [](const harness::Remark& remark) {
    return remark.words.find("did not do the same when it was fed") != std::string::npos;
  }));
}

TEST(SearchedProgram, AFreshRoundForgetsWhatWasBefore) {
  const std::string two_rounds =
      two_clients + "[explore]\nrounds = 2\nattempts = 3\n[[explore.fault]]\nkind = \"pause\"\nfor = \"100ms\"\n";
  sim::Exploration of[2];
  for (const char* const client : {R"("careless.py", "remembers")", R"("set_px_token.py")"}) {
    for (const bool fresh : {false, true}) {
      const std::string lock =
          fmt::format("command = [\"{}\", {}]\n{}", python, client, fresh ? "rounds = \"fresh\"" : "");
      const harness::Scenario scenario = parsed(lock, two_rounds);
      of[fresh] = searched_by(sim::explore_stateful, scenario);
      tests::expect_same_search(searched_by(sim::explore_by_reexecution, scenario), of[fresh]);
      EXPECT_TRUE(of[fresh].complete) << of[fresh].stopped;
      const bool remembers = std::string_view(client).find("remembers") != std::string_view::npos && !fresh;
      EXPECT_EQ(of[fresh].broken.contains({"grant-is-valid", "not-held"}), remembers) << client << fresh;
    }
  }
  EXPECT_LT(of[true].states, of[false].states) << "what is over leaves nothing behind";
}

TEST(SearchedProgram, RepliesThatAreTakenTogetherComeInTheOrderOfTheServersOnly) {
  const std::string on_two_servers =
      two_clients +
      "[servers]\nredis = 2\n[explore]\nrounds = 1\nattempts = 1\nstart = \"0s\"\nmax_faults = 0\nties = \"{}\"\n";
  sim::Exploration of[2];
  for (const bool together : {false, true}) {
    const harness::Scenario scenario =
        of_program("first_reply.py", fmt::format(fmt::runtime(on_two_servers), together ? "together" : "all"));
    of[together] = searched_by(sim::explore_stateful, scenario);
    tests::expect_same_search(searched_by(sim::explore_by_reexecution, scenario), of[together]);
    EXPECT_TRUE(of[together].complete) << of[together].stopped;
    EXPECT_EQ(of[together].broken.contains({"mutual-exclusion", "double-grant"}), !together)
        << "each client must hear first of the server that has given it the lock";
  }
  EXPECT_LT(of[true].states, of[false].states);
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

TEST(SearchedProgram, NoFaultOfMessagesStrikesAtAnAccessToTheResource) {
  const harness::Scenario scenario = of_program(
      "set_px_token.py",
      "[workload]\nclients = 2\nlease = \"2s\"\nwork = [\"hold 500ms\", \"touch\", \"hold 400ms\"]\n[network]\nlatency "
      "= "
      "\"5ms\"\n[judge]\nanswers = \"10s\"\nprogress = \"10s\"\n[explore]\nrounds = 1\nattempts = 3\nmax_faults = "
      "1\n[[explore.fault]]\nkind = \"half-open\"\n[[explore.fault]]\nkind = \"delay\"\nby = \"1s\"\n");
  const sim::Exploration found = searched_by(sim::explore_stateful, scenario);
  EXPECT_TRUE(found.complete) << found.stopped;
  EXPECT_TRUE(found.broken.contains({"answers", "acquire"})) << "a lost answer is waited for";
  for (const auto& [way, broken] : found.broken) {
    EXPECT_NE(way.first, "resource-safety");
    EXPECT_NE(way.first, "mutual-exclusion");
  }
}

}  // namespace
}  // namespace lockproof::searched_test
