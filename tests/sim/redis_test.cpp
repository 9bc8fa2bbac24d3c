// SPDX-License-Identifier: Apache-2.0
// Each test pins a sentence of docs/services/redis.md.
#include <gtest/gtest.h>

#include <sstream>

#include "sim/services/redis/node.hpp"

namespace lockproof::sim::redis::redis_test {
namespace {

class RedisNode : public testing::Test {
 protected:
  Reply run(const std::string& line) {
    std::vector<Value> words;
    std::stringstream stream(line);
    for (std::string word; stream >> word;) words.emplace_back(word);
    NodeAnswer executed = node.execute({1, Command(std::move(words)), {now_ms}});
    effects = executed.effects;
    return executed.reply;
  }
  std::string effect_names() const {
    std::string all;
    for (const auto& e : effects) all += (all.empty() ? "" : " ") + e.event;
    return all;
  }
  std::string changes() const {
    std::string all;
    for (const auto& e : effects) {
      all += (all.empty() ? "" : " ") + std::string(name(e.change));
      if (e.ttl) all += " for " + std::to_string(e.ttl->count());
    }
    return all;
  }
  ScriptEngine scripts;
  Node node{scripts};
  std::int64_t now_ms = 1'000;
  std::vector<harness::Effect> effects;
};

const Reply ok = Reply::status("OK");
Reply error(const char* text) { return Reply::error(text); }

TEST_F(RedisNode, SetnxSetsOnlyWhatIsNotThere) {
  EXPECT_EQ(run("SETNX k a"), Reply::integer(1));
  EXPECT_EQ(effect_names(), "set");
  EXPECT_EQ(run("SETNX k b"), Reply::integer(0));
  EXPECT_EQ(effect_names(), "");
  EXPECT_EQ(run("GET k"), Reply::bulk("a"));
}

TEST_F(RedisNode, SaysWhatBecameOfAKey) {
  const std::pair<const char*, const char*> cases[] = {
      {"SETNX k 1", "acquired"},
      {"INCR k", "changed"},
      {"EXPIRE k 10", "renewed for 10000"},
      {"PERSIST k", "renewed"},
      {"GETSET k x", "acquired"},
      {"DEL k", "released"},
      {"SET k x PX 5", "acquired renewed for 5"},
      {"EXPIRE k 0", "released"},
      {"HINCRBY h f 1", "changed"},
      {"HSET h g 1", "changed"},
      {"HDEL h f g", "changed released"},
      {"SET k y PX 5", "acquired renewed for 5"},
  };
  for (const auto& [command, expected] : cases) {
    run(command);
    EXPECT_EQ(changes(), expected) << command;
  }
  now_ms += 6;
  run("GET k");
  EXPECT_EQ(changes(), "expired");
  run("SET k x");
  EXPECT_EQ(node.evict("k", now_ms).effects.at(0).change, harness::Change::evicted);
  run("SET k x");
  EXPECT_EQ(node.flush(now_ms).effects.at(0).change, harness::Change::evicted);
}

TEST_F(RedisNode, AKeyLivesUntilTheClockHasPassedItsStamp) {
  EXPECT_EQ(run("SET k a PX 100"), ok);
  now_ms = 1'100;
  EXPECT_EQ(run("GET k"), Reply::bulk("a"));  // equal milliseconds: still valid
  EXPECT_EQ(run("PTTL k"), Reply::integer(0));
  now_ms = 1'101;
  EXPECT_EQ(run("GET k"), Reply::nil());
  EXPECT_EQ(effect_names(), "expired");
  EXPECT_EQ(run("PTTL k"), Reply::integer(-2));
}

TEST_F(RedisNode, SetNxTakesAKeyThatHasExpired) {
  run("SET k a NX PX 100");
  EXPECT_EQ(run("SET k b NX PX 100"), Reply::nil());
  now_ms = 1'101;
  EXPECT_EQ(run("SET k b NX PX 100"), ok);
  EXPECT_EQ(effect_names(), "expired set expire");
  EXPECT_EQ(effects.back().ttl, milliseconds(100));
}

TEST_F(RedisNode, ExpireReplacesWhatWasLeft) {
  run("SET k a PX 30000");
  EXPECT_EQ(run("EXPIRE k 20"), Reply::integer(1));
  EXPECT_EQ(run("PTTL k"), Reply::integer(20'000));
}

TEST_F(RedisNode, ExpireOfZeroOrLessDeletesAtOnce) {
  for (const char* seconds : {"0", "-1"}) {
    run("SET k a");
    EXPECT_EQ(run(std::string("EXPIRE k ") + seconds), Reply::integer(1));
    EXPECT_EQ(effect_names(), "del");
    EXPECT_EQ(run("EXISTS k"), Reply::integer(0));
  }
}

TEST_F(RedisNode, ExpireOfAKeyThatIsNotThereDoesNothing) { EXPECT_EQ(run("EXPIRE k 10"), Reply::integer(0)); }

TEST_F(RedisNode, SetAndGetsetClearATimeToLive) {
  for (const char* command : {"SET k b", "GETSET k b"}) {
    run("SET k a PX 100");
    run(command);
    EXPECT_EQ(run("PTTL k"), Reply::integer(-1)) << command;
  }
}

TEST_F(RedisNode, GetsetAnswersWhatWasThere) {
  EXPECT_EQ(run("GETSET k a"), Reply::nil());
  EXPECT_EQ(run("GETSET k b"), Reply::bulk("a"));
}

TEST_F(RedisNode, DelCountsWhatItDeleted) {
  run("SET a 1");
  run("SET b 1");
  EXPECT_EQ(run("DEL a b c"), Reply::integer(2));
  EXPECT_EQ(effect_names(), "del del");
}

TEST_F(RedisNode, AClockThatStepsBackGivesAKeyMoreTime) {
  run("SET k a PX 100");
  now_ms = 500;
  EXPECT_EQ(run("PTTL k"), Reply::integer(600));
}

TEST_F(RedisNode, ErrorsAreRedissOwnWords) {
  EXPECT_EQ(run("SET k v PX 0"), error("ERR invalid expire time in 'set' command"));
  EXPECT_EQ(run("SET k v PX -5"), error("ERR invalid expire time in 'set' command"));
  EXPECT_EQ(run("SET k v PX 9223372036854775807"), error("ERR invalid expire time in 'set' command"));
  EXPECT_EQ(run("SET k v PX abc"), error("ERR value is not an integer or out of range"));
  EXPECT_EQ(run("SET k v PX"), error("ERR syntax error"));
  EXPECT_EQ(run("SET k v EX 1 PX 1"), error("ERR syntax error"));
  EXPECT_EQ(run("SET k"), error("ERR wrong number of arguments for 'set' command"));
  EXPECT_EQ(run("GET a b"), error("ERR wrong number of arguments for 'get' command"));
  EXPECT_EQ(run("EXPIRE k 1.5"), error("ERR value is not an integer or out of range"));
  EXPECT_EQ(run("EXPIRE k 007"), error("ERR value is not an integer or out of range"));
  EXPECT_EQ(run("EXPIRE k 9223372036854775807"), error("ERR invalid expire time in 'expire' command"));
  EXPECT_EQ(run("NOSUCH a b"), error("ERR unknown command 'NOSUCH', with args beginning with: 'a' 'b' "));
}

TEST_F(RedisNode, TheCaseOfAVerbDoesNotMatter) {
  EXPECT_EQ(run("setnx k a"), Reply::integer(1));
  EXPECT_EQ(run("sEt k b nx px 10"), Reply::nil());
}

TEST_F(RedisNode, ItsCanonicalStateHasNoAbsoluteTimeAndNoNames) {
  const auto state_of = [](std::int64_t now, const std::string& token, std::int64_t stamp) {
    ScriptEngine engine;
    Node one(engine);
    one.execute({1, Command({"SET", "a", Value(token, Value::Mark::token), "PX", "500"}), {now}});
    one.execute({1, Command({"SET", "b", Value(std::to_string(now + stamp), Value::Mark::stamp)}), {now}});
    one.execute({1, Command({"SET", "c", "gone", "PX", "50"}), {now}});
    harness::Renamer renamer;
    return one.keys().canonical(now + 100, renamer);
  };
  EXPECT_EQ(state_of(1'000, "x", 70), state_of(999'000, "other", 70));
  EXPECT_NE(state_of(1'000, "x", 70), state_of(1'000, "x", 71));
  const Keyspace copy = state_of(1'000, "x", 70);
  EXPECT_EQ(copy.entries().at("a").expires_ms, 400);
  EXPECT_EQ(copy.entries().size(), 2u);
}

}  // namespace
}  // namespace lockproof::sim::redis::redis_test
