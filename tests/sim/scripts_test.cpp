// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "algorithms/redis/requests.hpp"
#include "algorithms/scripts.hpp"
#include "harness/input_error.hpp"
#include "sim/services/redis/node.hpp"

namespace lockproof::sim::redis::scripts_test {
namespace {

class Scripts : public testing::Test {
 protected:
  Reply eval(const std::string& text, std::vector<Value> keys = {}, std::vector<Value> args = {}) {
    const Script script{"test", text};
    return node.execute({1, lockproof::redis::eval(script, std::move(keys), std::move(args)).command, {1'000}}).reply;
  }
  ScriptEngine engine;
  Node node{engine};
};

TEST_F(Scripts, CompareAndDeleteDeletesOnlyItsOwn) {
  const auto release = [&](const char* token) {
    return eval(std::string(scripts::compare_and_delete.text), {"lock"}, {token});
  };
  node.execute({1, Command({"SET", "lock", "mine"}), {1'000}}).reply;
  EXPECT_EQ(release("other"), Reply::integer(0));
  EXPECT_EQ(release("mine"), Reply::integer(1));
  EXPECT_EQ(release("mine"), Reply::integer(0));
}

TEST_F(Scripts, ResultsAreConvertedAsRedisDoes) {
  EXPECT_EQ(eval("return 3.9"), Reply::integer(3));
  EXPECT_EQ(eval("return 'x'"), Reply::bulk("x"));
  EXPECT_EQ(eval("return true"), Reply::integer(1));
  EXPECT_EQ(eval("return false"), Reply::nil());
  EXPECT_EQ(eval("return nil"), Reply::nil());
  EXPECT_EQ(eval("return {ok='fine'}"), Reply::status("fine"));
  EXPECT_EQ(eval("return redis.error_reply('my')"), Reply::error("my"));
  EXPECT_EQ(eval("return {1, 'a', nil, 4}"), Reply::array({Reply::integer(1), Reply::bulk("a")}));
  EXPECT_EQ(eval("return {1.9, true, false, 'x'}"),
            Reply::array({Reply::integer(1), Reply::integer(1), Reply::nil(), Reply::bulk("x")}));
}

TEST_F(Scripts, TheTimeIsThatOfTheServer) {
  const auto at = [&](std::int64_t wall_ms) {
    const Script script{"test", "local now = redis.call('time'); return {now[1], now[2] + 0}"};
    return node.execute({1, lockproof::redis::eval(script, {}, {}).command, {wall_ms}});
  };
  const NodeAnswer executed = at(1'795'989'049'078);
  EXPECT_EQ(executed.reply, Reply::array({Reply::bulk("1795989049"), Reply::integer(78'000)}));
  EXPECT_TRUE(executed.reads_instant) << "a state of the server must then tell the instant";
  EXPECT_TRUE(executed.lacks.empty());
  EXPECT_FALSE(node.execute({1, Command({"TIME"}), {1'000}}).reads_instant) << "a stamp stays good";
}

TEST_F(Scripts, AMissingKeyIsFalseInsideAScript) {
  EXPECT_EQ(eval("return redis.call('get', 'x') == false"), Reply::integer(1));
}

TEST_F(Scripts, AnErrorOfACommandEndsTheScript) {
  EXPECT_EQ(eval("redis.call('set', 'k', 'v'); redis.call('nosuch'); return 1"),
            Reply::error("ERR Unknown Redis command called from script script: "
                         "97c1daac260ae519393241b6dd51a8a54d0de9af, on @user_script:1."));
  EXPECT_EQ(node.execute({1, Command({"GET", "k"}), {1'000}}).reply, Reply::bulk("v"));  // what it did before stays
}

TEST_F(Scripts, PcallAnswersTheErrorInstead) {
  EXPECT_EQ(eval("local r = redis.pcall('get'); return r['err'] ~= nil"), Reply::integer(1));
}

TEST_F(Scripts, OneRunLeavesNothingForTheNext) {
  EXPECT_TRUE(eval("x = 1").is_error());
  EXPECT_TRUE(eval("return x").is_error());
  EXPECT_EQ(eval("return #KEYS + #ARGV", {"a"}, {"b", "c"}), Reply::integer(3));
  EXPECT_EQ(eval("return #KEYS + #ARGV"), Reply::integer(0));
}

/// Each is refused by Redis 7.0.15, and none is seen by the next.
TEST_F(Scripts, WhatAllScriptsShareIsReadOnly) {
  for (const char* text :
       {"type = function() return 1 end return 1", "rawset(_G, 'x', 1) return x", "KEYS = 1 return 1",
        "getmetatable('').__index.x = 1 return 1", "getmetatable('').__add = 1 return 1", "setfenv(0, {}) return 1",
        "setfenv(1, {}) return 1", "rawset(string, 'x', 1) return 1", "coroutine.x = 1 return 1",
        "setmetatable(_G, {}) return 1", "newproxy(true) return 1"}) {
    EXPECT_TRUE(eval(text).is_error()) << text;
  }
  EXPECT_EQ(eval("local t = {} return rawset(t, 'x', 7).x"), Reply::integer(7));
  EXPECT_EQ(eval("return ('x'):rep(3) .. type(1) .. #KEYS .. _G.type(2)"), Reply::bulk("xxxnumber0number"));
  EXPECT_EQ(eval("return coroutine.wrap(function() return 5 end)()"), Reply::integer(5));
  EXPECT_THROW(eval("table.insert(_G, 1) return 1"), harness::InputError);
}

TEST_F(Scripts, XpcallCallsItsHandler) {
  EXPECT_EQ(eval("local ok, v = xpcall(function() error({}) end, function(e) return type(e) end) return v"),
            Reply::bulk("table"));
  EXPECT_EQ(eval("local ok, a, b = xpcall(function() return 1, 2 end, function() end) return {a, b, ok}"),
            Reply::array({Reply::integer(1), Reply::integer(2), Reply::integer(1)}));
  EXPECT_EQ(eval("local ok, v = xpcall(function() error('x') end, function() error('y') end) return v"),
            Reply::bulk("error in error handling"));
  EXPECT_THROW(eval("return xpcall(function() while true do end end, function() while true do end end)"),
               harness::InputError);
}

TEST_F(Scripts, WhatIsOfThisProcessIsNamed) {
  const auto lacks = [&](const char* text) {
    const Script script{"test", text};
    return node.execute({1, lockproof::redis::eval(script, {}, {}).command, {1'000}}).lacks;
  };
  EXPECT_EQ(lacks("return tostring({})"),
            "makes a text of a table or a function in a script, which the simulated server does not know");
  EXPECT_EQ(lacks("return collectgarbage('count')"),
            "asks how much memory Lua has in a script, which the simulated server does not know");
  EXPECT_EQ(lacks("return tostring(1) .. tostring(nil) .. tostring(true) .. tostring('x')"), "");
}

TEST_F(Scripts, ManyResultsAndItemsAreAnError) {
  EXPECT_TRUE(eval("return #{unpack({}, -2147483648, 2147483647)}").is_error());
  EXPECT_EQ(eval("return #{unpack({1, 2, 3}, 2)}"), Reply::integer(2));
  EXPECT_EQ(eval("local t = {1, 2} table.insert(t, 1, 0) return t[1] .. t[3]"), Reply::bulk("02"));
  EXPECT_THROW(eval("return table.insert({}, -2147483648, 1)"), harness::InputError);
}

TEST_F(Scripts, ClockFilesAndEvalAreOutOfReach) {
  for (const char* text :
       {"return os.time()", "return io.open('x')", "return dofile('x')", "return redis.call('eval', 'return 1', 0)"}) {
    EXPECT_TRUE(eval(text).is_error()) << text;
  }
}

TEST_F(Scripts, ASyntaxErrorIsAnErrorReply) { EXPECT_TRUE(eval("this is no lua").is_error()); }

TEST_F(Scripts, ATokenThatAScriptStoresIsStillAToken) {
  eval("return redis.call('set', KEYS[1], ARGV[1])", {"k"}, {Value("t", Value::Mark::token)});
  EXPECT_EQ(node.keys().entries().at("k").string()->mark(), Value::Mark::token);
}

TEST_F(Scripts, ATokenThatAScriptReadsIsStillAToken) {
  eval("return redis.call('set', KEYS[1], ARGV[1])", {"k"}, {Value("t", Value::Mark::token)});
  EXPECT_EQ(eval("return redis.call('get', KEYS[1])", {"k"}).value().mark(), Value::Mark::token);
  EXPECT_EQ(eval("return {1, redis.call('get', KEYS[1])}", {"k"}).items().at(1).value().mark(), Value::Mark::token);
  EXPECT_EQ(eval("return 't'").value().mark(), Value::Mark::text);
}

}  // namespace
}  // namespace lockproof::sim::redis::scripts_test
