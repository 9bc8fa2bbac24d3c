// SPDX-License-Identifier: Apache-2.0
// A lock's file in Lua: what it declares, what it remembers, and what is said where it is wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/input_error.hpp"
#include "harness/lua/lua_algorithm.hpp"
#include "harness/scenario/file/write.hpp"
#include "sim/run.hpp"
#include "tests/search/both_engines.hpp"

namespace lockproof::lock_file_test {
namespace {

using harness::InputError;

constexpr const char* acquire = R"(function acquire(name, lease)
  local token = random.token()
  local won, why = call("SET", name, token, "NX", "PX", lease)
  if why then return failed(why) end
  if not won then return busy() end
  return { token = token }
end
)";
constexpr const char* release = "function release(grant) call(\"DEL\", grant.name) return true end\n";

harness::Scenario with(const std::string& lua, const std::string& rest = "") {
  harness::Scenario scenario = harness::parse_scenario("lock.toml", "[algorithm]\nname = \"set-px-token\"\n" + rest,
                                                       lua::load_algorithm("mine.lua", lua));
  return scenario;
}

/// What is said of a file when it is read, or when it runs; empty: nothing.
std::string complaint(const std::string& lua) {
  try {
    (void)sim::run(with(lua), 1);
    return "";
  } catch (const InputError& e) {
    return e.what();
  }
}

struct Wrong {
  const char* name;
  std::string lua;
  const char* said;
};
class WrongLock : public testing::TestWithParam<Wrong> {};

TEST_P(WrongLock, IsToldWithItsLine) { EXPECT_EQ(complaint(GetParam().lua), GetParam().said); }

std::string after_acquire(const char* text) { return std::string(acquire) + text; }
std::string acquiring(const char* returned) {
  return fmt::format("function acquire(name, lease)\n  return {}\nend\n{}", returned, release);
}
std::string declaring(const char* table) { return fmt::format("lock = {}\n{}{}", table, acquire, release); }

const Wrong wrong[] = {
    {"Syntax", "function acquire(", "mine.lua:1: <name> or '...' expected near '<eof>'"},
    {"Compiled", "\x1bLua", "mine.lua: this is compiled Lua; a lock is a text"},
    {"EndlessRecursion", after_acquire("function release(grant) return 1 + release(grant) end"),
     "mine.lua:8: stack overflow"},
    {"NoRelease", acquire, "mine.lua: there is no function release: a lock needs acquire and release"},
    {"UnknownGlobal", after_acquire("function release() return nothing.x end"),
     "mine.lua:8: attempt to index global 'nothing' (a nil value)"},
    {"TokenAsText", after_acquire("function release(grant) return grant.token .. \"x\" end"),
     "mine.lua:8: a token can only be compared, kept and sent: its bytes are different in each run"},
    {"TokenAsNumber", after_acquire("function release(grant) return tonumber(grant.token) end"),
     "mine.lua:8: tonumber: a token is no number; clock.read(value) makes an instant of one that was written"},
    {"Endless", after_acquire("function release() while true do end end"),
     "mine.lua:8: this runs on without end: 10000000 steps"},
    {"TooManyResults", after_acquire("function release() return unpack({}, -2147483648, 2147483647) end"),
     "mine.lua:8: too many results to unpack"},
    {"FarInFront", after_acquire("function release() table.insert({}, -2147483648, 1) end"),
     "mine.lua:8: this runs on without end: 10000000 steps"},
    {"TooMuchMemory", after_acquire("function release() local s = \"x\" while true do s = s .. s end end"),
     "mine.lua: this takes more than 64 MB of memory, or 4 MB for one value"},
    {"NothingReleased", after_acquire("function release() end"),
     "mine.lua:8: release returned nil; it must return true (released), false (it was not ours), skipped() (no "
     "server was asked) or failed(why)"},
    {"Files", after_acquire("function release() return io.open(\"/etc/passwd\") end"),
     "mine.lua:8: a lock has no 'io': it has servers, clocks and chance, and nothing else"},
    {"Print", "print(\"hallo\")",
     "mine.lua:1: a lock has no 'print': the trace of a run shows what it sends and receives"},
    {"CallAtOnce", "call(\"PING\")",
     "mine.lua:1: call: there are servers and clocks only inside acquire, renew, release and wait"},
    {"ParameterAtOnce", "local retry = parameters.retry",
     "mine.lua:1: parameters have values only inside acquire, renew, release, wait and retry"},
    {"NilWord", after_acquire("function release(grant) call(\"DEL\", grant.nme) end"),
     "mine.lua:8: call: word 2 is nil; a command takes text and numbers"},
    {"HalfANumber", after_acquire("function release(grant) call(\"PEXPIRE\", grant.name, 0.5) end"),
     "mine.lua:8: call: word 3 is a number that is not whole; math.floor makes it so"},
    {"InstantAsWord", after_acquire("function release(grant) call(\"SET\", grant.name, clock.wall()) end"),
     "mine.lua:8: call: word 3 is an instant of the wall clock; clock.write(instant) makes text of one"},
    {"InstantsOfTwoClocks", after_acquire("function release() return clock.mono() < clock.wall() end"),
     "mine.lua:8: an instant of the monotonic clock and an instant of the wall clock cannot be compared"},
    {"ErrorWithoutText", after_acquire("function release() error({}) end"),
     "mine.lua: it raises an error that is no text"},
    {"GrantWithoutToken", acquiring("{ deadline = clock.mono() }"),
     "mine.lua:1: the grant that acquire returned needs a token: what the server stores for this holder"},
    {"GrantWithMore", acquiring("{ token = random.token(), count = 1 }"),
     "mine.lua:1: the grant that acquire returned has no field 'count'; it has name, token, deadline, fence, renewal"},
    {"DeadlineAsNumber", acquiring("{ token = random.token(), deadline = 7 }"),
     "mine.lua:1: the grant that acquire returned has a number for its deadline; it must be an instant of a clock"},
    {"RenewalWithoutPeriod", acquiring("{ token = random.token(), renewal = {} }"),
     "mine.lua:1: the renewal of the grant that acquire returned needs a period: a number of milliseconds"},
    {"NeitherGrantNorBusy", acquiring("true"),
     "mine.lua:1: acquire returned a boolean; it must return a grant {token = …}, busy() or failed(why)"},
    {"UnknownReason", acquiring("failed(\"timeout\")"),
     "mine.lua:2: failed(why, grant): why is \"no-reply\", \"not-sent\" or \"refused\", as call returns it, not "
     "timeout"},
    {"MoreRoundTrips",
     fmt::format("function acquire(name, lease)\n  call(\"PING\") call(\"PING\")\n  return {{ token = "
                 "random.token() }}\nend\n{}",
                 release),
     "mine.lua:1: acquire waited for servers 2 times before it was granted, and lock.round_trips says 1: a search "
     "relies on it; write round_trips = 2"},
    {"UnknownDeclaration", declaring("{ claim = {} }"),
     "mine.lua: lock has no field 'claim'; it has summary, source, service, servers, lease, lease_unit, parameters, "
     "claims, keys, channels, round_trips, refusal_writes"},
    {"UnknownClaim", declaring("{ claims = { double_grant = \"sometimes\" } }"),
     "mine.lua: lock.claims has a string for its double_grant; it must be one of never, always, without faults"},
    {"ParameterWithoutStandard", declaring("{ parameters = { retry = \"50ms\" } }"),
     "mine.lua: lock has a parameter 'retry' without a standard: write retry = milliseconds"},
    {"LibraryChanged", "string.rep = nil", "mine.lua:1: 'rep' cannot be set here: this table is not the lock's own"},
};
INSTANTIATE_TEST_SUITE_P(Of, WrongLock, testing::ValuesIn(wrong), [](const auto& one) { return one.param.name; });

TEST(LuaLock, ThatIsRightIsNotComplainedOf) { EXPECT_EQ(complaint(std::string(acquire) + release), ""); }

TEST(LuaLock, HasParametersWithTheirStandard) {
  const std::string lua =
      std::string("lock = { parameters = { tries = { count = 3, \"tries\" }, pause = 1.5 } }\n") + acquire + release;
  const auto algorithm = lua::load_algorithm("mine.lua", lua);
  ASSERT_EQ(algorithm->parameters.size(), 2u);
  EXPECT_EQ(algorithm->parameters[0].name, "pause");
  EXPECT_EQ(algorithm->parameters[0].standard, Duration(1500));
  EXPECT_EQ(algorithm->parameters[1].meaning, "tries");
  EXPECT_TRUE(algorithm->parameters[1].counts);
}

// Every second attempt is refused without a question: a lock that does so must differ in its states, wherever it
// keeps that.
constexpr const char* every_second[] = {
    "local n = 0\n%function acquire(name, lease) n = n + 1 if n / 2 == math.floor(n / 2) then return busy() end return "
    "try(name, lease) end\n",
    "n = false\n%function acquire(name, lease) n = not n if not n then return busy() end return try(name, lease) end\n",
    "local may, may_not = function() return false end, function() return true end\n%function acquire(name, lease) "
    "may, may_not = may_not, may if not may() then return busy() end return try(name, lease) end\n",
    "local function other(x) return function() return not x end end\nlocal may = other(true)\n%function acquire(name, "
    "lease) may = other(may()) if not may() then return busy() end return try(name, lease) end\n",
    "local all = { { } }\n%function acquire(name, lease) all[1].n = (all[1].n or 0) + 1 if all[1].n > 1 then all[1].n "
    "= "
    "nil return busy() end return try(name, lease) end\n",
};

TEST(LuaLock, WhatItRemembersIsPartOfAState) {
  std::string tries = std::string(acquire) + release;
  tries.replace(tries.find("acquire"), 7, "try");
  for (const std::string text : every_second) {
    std::string lua = text;
    lua.replace(lua.find('%'), 1, tries + "\n");
    EXPECT_TRUE(tests::searched_by_both(with(lua,
                                             "[workload]\nrounds = 2\nlease = \"4s\"\nattempts = 3\n[explore]\n"
                                             "retry = \"T/2\"\nmax_faults = 0\ncontention = \"as-written\"\n")))
        << text;
  }
}

TEST(LuaLock, WhatAFailedAcquireMayHoldIsReleasedWhateverTheErrorIs) {
  const auto releases = [](const char* why, const char* on_error) {
    std::string throws = acquire;
    const std::string grant = "return { token = token }";
    throws.replace(throws.find(grant), grant.size(), fmt::format("return failed({})", why));
    const harness::History history =
        sim::run(with(throws + release, fmt::format("[workload]\nattempts = 1\non_error = \"{}\"\n", on_error)), 1);
    return std::ranges::count(history.events, harness::What::release, &harness::Event::what);
  };
  EXPECT_EQ(releases("\"refused\", { token = token }", "release"), 1) << "the other client finds it taken";
  EXPECT_EQ(releases("\"refused\", { token = token }", "retry"), 0);
  EXPECT_EQ(releases("\"refused\"", "release"), 0) << "it may hold nothing";
}

TEST(LuaLock, MayDrawWithinAnAttempt) {
  std::string lua = std::string(acquire) + release;
  lua.replace(lua.find("  return { token"), 0, "  if random.between(0, 2000) >= 1000 then call(\"PING\") end\n");
  lua = "lock = { round_trips = 2 }\n" + lua;
  EXPECT_TRUE(tests::searched_by_both(with(lua,
                                           "[workload]\nlease = \"4s\"\nattempts = 2\n[run]\ngrid = \"1s\"\n"
                                           "[explore]\nretry = \"T/2\"\nmax_faults = 0\ngrid = \"1s\"\n"
                                           "contention = \"as-written\"\n")));
}

/// The number that is stored is over for the third command, and not for the first two, though all are equal and find
/// the same keys.
TEST(LuaLock, MayReadTheServersTimeInAScript) {
  const std::string lua = R"(
local take = script("take", [[
  local now = redis.call("time")
  local ms = now[1] * 1000 + now[2] / 1000
  local over = redis.call("get", KEYS[1])
  if over and tonumber(over) > ms then return 0 end
  redis.call("set", KEYS[1], string.format("%.0f", ms + ARGV[1]))
  return 1
]])
function acquire(name, lease)
  local token = random.token()
  local grant = { token = token, deadline = clock.mono() + lease }
  local won, why = call(take, 1, name, lease)
  if why then return failed(why, grant) end
  return won == 1 and grant or busy()
end
)";
  const harness::Scenario scenario =
      with(lua + release,
           "[workload]\nlease = \"1s\"\nwork = [\"hold 4s\"]\n[[client]]\nname = \"client-2\"\nstart = \"100ms\"\n"
           "[explore]\nattempts = 4\nretry = \"T/2\"\ncontention = \"as-written\"\nmax_faults = 0\n");
  EXPECT_TRUE(tests::searched_by_both(scenario));
  const harness::Bounds bounds = scenario.explore.value();
  const auto found = sim::explore_stateful(sim::as_written(sim::bounded(scenario, bounds, false)), bounds, {});
  EXPECT_TRUE(tests::faults_of(found).contains({"mutual-exclusion", "outlived"}));
  EXPECT_EQ(found.detail, sim::ClockDetail::instant);
}

TEST(LuaLock, IsWrittenAsItsFileSeenFromTheFolder) {
  harness::Scenario scenario =
      harness::parse_scenario("lock.toml", "[algorithm]\nfile = \"" LOCKPROOF_SOURCE
                                           "/scenarios/lua/redlock.lua\"\nnode_timeout = \"7ms\"\n"
                                           "[servers]\nredis = 3\n");
  const std::string folder = LOCKPROOF_SOURCE "/scenarios/bench";
  const std::string text = harness::to_toml(scenario, folder);
  EXPECT_NE(text.find("file = \"../lua/redlock.lua\"\nnode_timeout = \"7ms\""), std::string::npos) << text;
  const harness::Scenario again = harness::parse_scenario(folder + "/lock.toml", text);
  EXPECT_EQ(again.algorithm, scenario.algorithm);
  EXPECT_EQ(again.parameters, scenario.parameters);
}

}  // namespace
}  // namespace lockproof::lock_file_test
