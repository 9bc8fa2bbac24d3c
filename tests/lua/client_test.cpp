// SPDX-License-Identifier: Apache-2.0
// What a file in Lua reads of the client that uses its lock: it is told so, and a search keeps what it reads apart.
#include <gtest/gtest.h>

#include "harness/input_error.hpp"
#include "harness/lua/lua_algorithm.hpp"
#include "harness/lua/lua_lock.hpp"
#include "sim/run.hpp"
#include "tests/search/both_engines.hpp"

namespace lockproof::client_test {
namespace {

constexpr const char* release = "function release(grant) call(\"DEL\", grant.name) return true end\n";

/// A lock whose key has this value.
std::string storing(const std::string& value) {
  return "function acquire(name, lease)\n  local won, why = call(\"SET\", name, " + value +
         ", \"NX\", \"PX\", lease)\n  if why then return failed(why) end\n"
         "  return won and { token = \"mine\" } or busy()\nend\n" +
         release;
}

harness::Scenario with(const std::string& lua, const std::string& rest = "") {
  return harness::parse_scenario("lock.toml", "[algorithm]\nname = \"set-px-token\"\n" + rest,
                                 lua::load_algorithm("mine.lua", lua));
}

/// What the attempts of a run send, each once.
std::vector<std::string> sent(const std::string& value, const std::string& rest) {
  std::vector<std::string> values;
  for (const harness::Event& event : sim::run(with(storing(value), rest), 1).events) {
    if (event.what != harness::What::send || event.command->verb() != "SET") continue;
    values.push_back(event.command->args().at(2).bytes());
  }
  return values;
}

using testing::Test;
using Values = std::vector<std::string>;

constexpr const char* one_client = "[workload]\nclients = 1\nrounds = 2\nwork = [\"hold 1s\"]\n";

TEST(LuaClient, HasItsNameModeAndRound) {
  EXPECT_EQ(sent("client.name .. \" \" .. client.mode .. \" \" .. client.round", one_client),
            (Values{"client-1 exclusive 1", "client-1 exclusive 2"}));
  EXPECT_EQ(sent("client.mode", std::string(one_client) + "mode = \"shared\"\n").front(), "shared");
}

TEST(LuaClient, CountsAttemptsInEachRound) {
  const Values values = sent("client.name .. \":\" .. client.round .. \":\" .. client.attempt",
                             "[workload]\nrounds = 2\nlease = \"10s\"\nwork = [\"hold 1s\"]\n"
                             "[[client]]\nname = \"client-1\"\nretry = \"300ms\"\n"
                             "[[client]]\nname = \"client-2\"\nstart = \"500ms\"\nretry = \"300ms\"\n");
  EXPECT_EQ(values.front(), "client-1:1:1");
  for (const char* attempt : {"client-2:1:1", "client-2:1:2", "client-1:2:1", "client-2:2:1"}) {
    EXPECT_NE(std::ranges::find(values, attempt), values.end()) << attempt;
  }
  EXPECT_EQ(std::ranges::find(values, "client-1:1:2"), values.end());  // it got in at once
}

std::string complaint(const std::string& lua) {
  try {
    (void)sim::run(with(lua), 1);
    return "";
  } catch (const harness::InputError& e) {
    return e.what();
  }
}

TEST(LuaClient, RefusesWhatItDoesNotHave) {
  EXPECT_EQ(complaint(storing("client.nmae")),
            "mine.lua:2: client has no field 'nmae'; it has name, mode, round and attempt");
  EXPECT_EQ(complaint("local me = client.name\n" + storing("me")),
            "mine.lua:1: client has values only inside acquire, renew, release, wait and retry");
  EXPECT_EQ(complaint("function acquire() client.name = \"x\" end\n" + std::string(release)),
            "mine.lua:1: 'name' cannot be set here: this table is not the lock's own");
}

TEST(LuaClient, IsReadWhereverTheWordMayBeTheGlobal) {
  const auto reads = [](const char* text) {
    const lua::ClientUse use = lua::client_use(text);
    return std::string(use.name ? "n" : "") + (use.round ? "r" : "") + (use.attempt ? "a" : "");
  };
  EXPECT_EQ(reads("return client.name"), "n");
  EXPECT_EQ(reads("return client . round"), "r");
  EXPECT_EQ(reads("return client.mode"), "");
  EXPECT_EQ(reads("return 1 ..client.attempt"), "a");
  EXPECT_EQ(reads("local me = client"), "nra");
  EXPECT_EQ(reads("return client[\"name\"]"), "nra");
  EXPECT_EQ(reads("return client == nil"), "nra");
  EXPECT_EQ(reads("client = nil"), "");
  EXPECT_EQ(reads("return grant.client"), "");
  EXPECT_EQ(
      reads("-- client\nreturn 'client' .. \"client \\\" client\" .. [[client]] --[==[ client ]==] .. [=[client]=]"),
      "");
}

/// Two clients that are alike but for their names are one only to a lock that does not know these.
TEST(LuaClient, IsToldApartInASearchByItsName) {
  const std::string bounds = "[workload]\nlease = \"10s\"\nwork = [\"hold 1s\"]\n[explore]\nmax_faults = 0\n";
  const auto exchanged = [&](const char* value) {
    const harness::Scenario s = with(storing(value), bounds);
    const harness::Bounds of = s.explore.value();
    return sim::explore_stateful(sim::bounded(s, of, false), of, {.exchange = true}).exchanged;
  };
  EXPECT_TRUE(exchanged("\"x\""));
  EXPECT_TRUE(exchanged("client.mode"));
  EXPECT_FALSE(exchanged("client.name"));
}

/// A lock that grants nothing in a first attempt: only a search that counts attempts finds the way in.
TEST(LuaClient, HasItsAttemptInTheStateOfASearch) {
  const std::string lua =
      "function acquire(name, lease)\n  if client.attempt < 3 then return busy() end\n"
      "  return { token = \"mine\" }\nend\nfunction release() return skipped() end\n";
  const harness::Scenario s = with(lua,
                                   "[workload]\nattempts = 4\nwork = [\"hold 1s\"]\n"
                                   "[explore]\ncontention = \"as-written\"\nmax_faults = 0\n");
  const harness::Bounds bounds = s.explore.value();
  const harness::Scenario space = sim::bounded(s, bounds, false);
  const sim::Exploration stateful = sim::explore_stateful(space, bounds, {});
  EXPECT_TRUE(stateful.acquired);
  EXPECT_TRUE(stateful.broken.contains({"mutual-exclusion", "double-grant"}));
}

}  // namespace
}  // namespace lockproof::client_test
