// SPDX-License-Identifier: Apache-2.0
// What `lockproof-conformance` compares with a real server, sentence by sentence, and what it cannot: replicas,
// eviction, restarts.
#include <gtest/gtest.h>

#include <sstream>

#include "harness/sha1.hpp"
#include "sim/services/redis/node.hpp"

namespace lockproof::sim::redis::redis_node_test {
namespace {

const Reply ok = Reply::status("OK");
const Reply queued = Reply::status("QUEUED");
const Reply wrong = Reply::error("WRONGTYPE Operation against a key holding the wrong kind of value");
const Reply refused = Reply::error("READONLY You can't write against a read only replica.");

std::vector<Value> split(const std::string& line) {
  std::vector<Value> words;
  std::stringstream stream(line);
  for (std::string word; stream >> word;) words.emplace_back(word);
  return words;
}

class WholeNode : public testing::Test {
 protected:
  NodeAnswer execute(std::vector<Value> words, int connection = 1) {
    return node.execute({connection, Command(std::move(words)), {now_ms}});
  }
  Reply run(const std::string& line, int connection = 1) {
    NodeAnswer executed = execute(split(line), connection);
    propagated.clear();
    for (const Command& command : executed.propagated) {
      std::string text;
      for (const Value& word : command.args()) text += (text.empty() ? "" : " ") + word.bytes();
      propagated.push_back(text);
    }
    effects.clear();
    for (const auto& effect : executed.effects) effects += (effects.empty() ? "" : " ") + effect.event;
    pushes = executed.pushes;
    further = executed.further;
    return executed.reply;
  }
  using Lines = std::vector<std::string>;

  ScriptEngine scripts;
  Node node{scripts};
  std::int64_t now_ms = 1'000;
  Lines propagated;
  std::string effects;
  std::vector<Push> pushes;
  std::vector<Reply> further;
};

TEST_F(WholeNode, HmsetSetsAsHsetAndAnswersOk) {
  EXPECT_EQ(run("HMSET lock b 2 a 1"), ok);
  EXPECT_EQ(propagated, (Lines{"HMSET lock b 2 a 1"}));
  EXPECT_EQ(effects, "hset");
  EXPECT_EQ(run("HGET lock a"), Reply::bulk("1"));
  EXPECT_EQ(run("HMSET lock b"), Reply::error("ERR wrong number of arguments for 'hmset' command"));
  EXPECT_EQ(run("HMSET lock b 2 a"), Reply::error("ERR wrong number of arguments for 'hmset' command"));
  run("SET text x");
  EXPECT_EQ(run("HMSET text b 2"), wrong);
}

TEST_F(WholeNode, MgetAnswersEachKeyAndNilForOtherTypes) {
  run("SET a x");
  run("HSET h f 1");
  EXPECT_EQ(run("MGET a missing h a"), Reply::array({Reply::bulk("x"), Reply::nil(), Reply::nil(), Reply::bulk("x")}));
  EXPECT_EQ(run("MGET"), Reply::error("ERR wrong number of arguments for 'mget' command"));
}

TEST_F(WholeNode, NumsubCountsTheSubscribersOfEachChannel) {
  run("SUBSCRIBE x y", 2);
  run("SUBSCRIBE x", 3);
  EXPECT_EQ(run("PUBSUB NUMSUB x nobodys y"), Reply::array({Reply::bulk("x"), Reply::integer(2), Reply::bulk("nobodys"),
                                                            Reply::integer(0), Reply::bulk("y"), Reply::integer(1)}));
  node.disconnected(2);
  EXPECT_EQ(run("PUBSUB NUMSUB x"), Reply::array({Reply::bulk("x"), Reply::integer(1)}));
  EXPECT_EQ(run("PUBSUB NUMSUB"), Reply::array({}));
}

TEST_F(WholeNode, AHashCountsByOwner) {
  EXPECT_EQ(run("HINCRBY lock owner 1"), Reply::integer(1));
  EXPECT_EQ(run("HINCRBY lock owner 1"), Reply::integer(2));
  EXPECT_EQ(run("HEXISTS lock other"), Reply::integer(0));
  EXPECT_EQ(run("HSET lock b 2 a 1"), Reply::integer(2));
  EXPECT_EQ(run("HGETALL lock"), Reply::array({Reply::bulk("owner"), Reply::bulk("2"), Reply::bulk("b"),
                                               Reply::bulk("2"), Reply::bulk("a"), Reply::bulk("1")}));
  EXPECT_EQ(run("HDEL lock owner a b"), Reply::integer(3));
  EXPECT_EQ(effects, "hdel del");  // the last field takes the key with it
  EXPECT_EQ(run("EXISTS lock"), Reply::integer(0));
}

TEST_F(WholeNode, ATypeIsKept) {
  run("SET s x");
  run("HSET h f x");
  for (const char* line : {"HGET s f", "HSET s f x", "HINCRBY s f 1", "GET h", "GETSET h x", "INCR h"}) {
    EXPECT_EQ(run(line), wrong) << line;
  }
  EXPECT_EQ(run("SET h x GET"), wrong);
  EXPECT_EQ(run("SET h x"), ok);  // a plain SET replaces whatever is there
  EXPECT_EQ(run("TYPE h"), Reply::status("string"));
}

TEST_F(WholeNode, SetTakesItsOptions) {
  EXPECT_EQ(run("SET k a XX"), Reply::nil());
  EXPECT_EQ(run("SET k a PX 500"), ok);
  EXPECT_EQ(run("SET k b GET KEEPTTL"), Reply::bulk("a"));
  EXPECT_EQ(run("PTTL k"), Reply::integer(500));
  EXPECT_EQ(run("SET k c NX GET"), Reply::bulk("b"));
  EXPECT_EQ(run("SET k c PXAT 1001"), ok);
  EXPECT_EQ(run("PEXPIRETIME k"), Reply::integer(1'001));
  EXPECT_EQ(run("SET k c EX 1 KEEPTTL"), Reply::error("ERR syntax error"));
}

TEST_F(WholeNode, ExpireTakesItsConditions) {
  run("SET k a");
  EXPECT_EQ(run("PEXPIRE k 100 XX"), Reply::integer(0));
  EXPECT_EQ(run("PEXPIRE k 100 GT"), Reply::integer(0));  // no expiry is later than any
  EXPECT_EQ(run("PEXPIRE k 100 NX"), Reply::integer(1));
  EXPECT_EQ(run("PEXPIRE k 50 GT"), Reply::integer(0));
  EXPECT_EQ(run("PEXPIRE k 50 LT"), Reply::integer(1));
  EXPECT_EQ(run("PERSIST k"), Reply::integer(1));
}

TEST_F(WholeNode, ATransactionRunsAsAWhole) {
  EXPECT_EQ(run("MULTI"), ok);
  EXPECT_EQ(run("SET k a"), queued);
  EXPECT_EQ(run("INCR k"), queued);
  EXPECT_EQ(run("GET k", 2), Reply::nil());
  EXPECT_EQ(run("EXEC"), Reply::array({ok, Reply::error("ERR value is not an integer or out of range")}));
  EXPECT_EQ(run("EXEC"), Reply::error("ERR EXEC without MULTI"));
}

TEST_F(WholeNode, AnErrorInQueueingLosesTheTransaction) {
  run("MULTI");
  EXPECT_TRUE(run("GET").is_error());
  EXPECT_EQ(run("SET k a"), queued);
  EXPECT_EQ(run("EXEC"), Reply::error("EXECABORT Transaction discarded because of previous errors."));
  EXPECT_EQ(run("GET k"), Reply::nil());
}

TEST_F(WholeNode, AWatchedKeyThatChangesStopsTheTransaction) {
  for (const char* change : {"SET k b", "DEL k", "PEXPIRE k 5", "FLUSHALL"}) {
    run("SET k a");
    run("WATCH k");
    run(change, 2);
    run("MULTI");
    run("SET k mine");
    EXPECT_EQ(run("EXEC"), Reply::nil()) << change;
  }
}

TEST_F(WholeNode, AWatchedKeyThatExpiresStopsTheTransaction) {
  run("SET k a PX 100");
  run("WATCH k");
  run("MULTI");
  run("SET k mine");
  now_ms = 1'101;  // nobody has looked at it since
  EXPECT_EQ(run("EXEC"), Reply::nil());
}

TEST_F(WholeNode, AKeyThatHadExpiredBeforeMayGo) {
  run("SET k a PX 100");
  now_ms = 1'101;
  run("WATCH k");
  EXPECT_EQ(run("GET k", 2), Reply::nil());  // deletes it
  run("MULTI");
  EXPECT_EQ(run("EXEC"), Reply::array({}));
}

TEST_F(WholeNode, SubscribersHearWhatIsPublished) {
  EXPECT_EQ(run("SUBSCRIBE c", 2), Reply::array({Reply::bulk("subscribe"), Reply::bulk("c"), Reply::integer(1)}));
  EXPECT_EQ(run("PUBLISH c free"), Reply::integer(1));
  ASSERT_EQ(pushes.size(), 1u);
  EXPECT_EQ(pushes[0].connection, 2);
  EXPECT_EQ(pushes[0].message, Reply::array({Reply::bulk("message"), Reply::bulk("c"), Reply::bulk("free")}));
  EXPECT_EQ(run("GET k", 2), Reply::error("ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / "
                                          "QUIT / RESET are allowed in this context"));
  node.disconnected(2);
  EXPECT_EQ(run("PUBLISH c free"), Reply::integer(0));
}

TEST_F(WholeNode, FurtherConfirmationsFollowTheReply) {
  run("SUBSCRIBE c d", 2);
  ASSERT_EQ(further.size(), 1u);
  EXPECT_EQ(further[0], Reply::array({Reply::bulk("subscribe"), Reply::bulk("d"), Reply::integer(2)}));
}

TEST_F(WholeNode, AScriptIsKnownAfterItsFirstRun) {
  const std::string text = "return 7", name = harness::sha1_hex(text);
  EXPECT_EQ(run("EVALSHA " + name + " 0"), Reply::error("NOSCRIPT No matching script. Please use EVAL."));
  EXPECT_EQ(execute({"EVAL", Value(text), "0"}).reply, Reply::integer(7));
  EXPECT_EQ(run("EVALSHA " + name + " 0"), Reply::integer(7));
  Node other(scripts);  // shares the engine, not the scripts
  EXPECT_TRUE(other.execute({1, Command({"EVALSHA", Value(name), "0"}), {now_ms}}).reply.is_error());
}

TEST_F(WholeNode, Sha1IsTheStandards) {
  EXPECT_EQ(harness::sha1_hex(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(harness::sha1_hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(harness::sha1_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

TEST_F(WholeNode, ReplicasAreSentAbsoluteTimes) {
  run("SET k a NX PX 500");
  EXPECT_EQ(propagated, Lines{"SET k a PXAT 1500"});
  run("EXPIRE k 2 GT");
  EXPECT_EQ(propagated, Lines{"PEXPIREAT k 3000 GT"});
  run("SETNX k b");
  EXPECT_EQ(propagated, Lines{});  // nothing changed
  now_ms = 3'001;
  run("GET k");
  EXPECT_EQ(propagated, Lines{"DEL k"});
  run("SET k a");
  run("PEXPIRE k -1");
  EXPECT_EQ(propagated, Lines{"DEL k"});
}

TEST_F(WholeNode, AReplicaObeysItsMasterAndHidesWhatExpired) {
  Node replica(scripts);
  replica.set_replica(true);
  (void)replica.apply(Command({"SET", "k", "a", "PXAT", "1100"}), 1'000);
  const auto ask = [&](std::vector<Value> words, std::int64_t at) {
    return replica.execute({1, Command(std::move(words)), {at}});
  };
  EXPECT_EQ(ask({"GET", "k"}, 1'100).reply, Reply::bulk("a"));
  const NodeAnswer hidden = ask({"GET", "k"}, 1'101);
  EXPECT_EQ(hidden.reply, Reply::nil());
  EXPECT_TRUE(hidden.effects.empty());
  EXPECT_EQ(ask({"DBSIZE"}, 1'101).reply, Reply::integer(1));
  EXPECT_EQ(ask({"SET", "k", "b"}, 1'101).reply, refused);
  EXPECT_TRUE(ask({"EVAL", "return redis.call('set', 'k', 'b')", "0"}, 1'101)
                  .reply.value()
                  .bytes()
                  .starts_with(refused.value().bytes() + " script: "));
  (void)replica.apply(Command({"PEXPIREAT", "k", "900"}), 1'101);  // in the past: kept until the master says DEL
  EXPECT_EQ(ask({"DBSIZE"}, 1'101).reply, Reply::integer(1));
  replica.set_replica(false);
  EXPECT_EQ(ask({"SET", "k", "b", "NX"}, 1'101).reply, ok);
}

TEST_F(WholeNode, ApplyingWhatIsPropagatedGivesTheSameKeys) {
  Node replica(scripts);
  replica.set_replica(true);
  for (const char* line : {"SET a x PX 90", "HSET h f 1 g 2", "EXPIRE a 5 LT", "HINCRBY h f 4", "INCR n", "GETSET a y",
                           "PEXPIRE n 50", "HDEL h g", "DEL a", "SETEX e 9 x", "PERSIST e"}) {
    for (const Command& command : execute(split(line)).propagated) (void)replica.apply(command, now_ms);
    EXPECT_EQ(replica.dataset(), node.dataset()) << line;
    now_ms += 20;
  }
}

TEST_F(WholeNode, EvictionAndFlushTellReplicas) {
  run("SET a x");
  run("SET b x");
  const NodeAnswer evicted = node.evict("a");
  ASSERT_EQ(evicted.effects.size(), 1u);
  EXPECT_EQ(evicted.effects[0].event, "evicted");
  EXPECT_EQ(evicted.propagated, (std::vector{Command({"DEL", "a"})}));
  EXPECT_TRUE(node.evict("a").effects.empty());
  EXPECT_EQ(node.flush().effects.size(), 1u);
  EXPECT_EQ(run("DBSIZE"), Reply::integer(0));
}

TEST_F(WholeNode, ARestartKeepsKeysAndNothingElse) {
  run("SET a x");
  const Dataset saved = node.dataset();
  run("SET b x");
  execute({"EVAL", "return 1", "0"});
  run("SUBSCRIBE c", 2);
  run("MULTI");
  node.start_anew(saved);
  EXPECT_EQ(run("EXEC"), Reply::error("ERR EXEC without MULTI"));
  EXPECT_EQ(run("DBSIZE"), Reply::integer(1));
  EXPECT_EQ(run("PUBLISH c x"), Reply::integer(0));
  EXPECT_TRUE(run("EVALSHA " + harness::sha1_hex("return 1") + " 0").is_error());
}

TEST_F(WholeNode, ANewDatasetTouchesWhatIsWatched) {
  run("SET a x");
  run("WATCH a");
  node.restore({});
  run("MULTI");
  EXPECT_EQ(run("EXEC"), Reply::nil());
}

TEST_F(WholeNode, ACopyTellsNobodyWhoWatchesAKeyThatWasNotThere) {
  run("WATCH a");
  Dataset copy;
  copy.put("a", {Value("x")});
  node.restore(copy);
  run("MULTI");
  EXPECT_EQ(run("EXEC"), Reply::array({}));
}

TEST_F(WholeNode, ANewDatasetTookWhatItHasNotOrHasOtherwise) {
  run("SET kept x");
  run("SET other x");
  run("SET gone x");
  Dataset keys;
  keys.put("kept", {Value("x")});
  keys.put("other", {Value("y")});
  std::vector<std::string> took;
  for (const harness::Effect& effect : node.restore(keys)) {
    EXPECT_EQ(effect.event, "flushed");
    took.push_back(effect.key);
  }
  EXPECT_EQ(took, (std::vector<std::string>{"gone", "other"}));
}

TEST_F(WholeNode, AReplicaEvictsNothingAndNeitherDoesAPausedNode) {
  run("SET a x");
  run("CLIENT PAUSE 100 WRITE");
  EXPECT_TRUE(node.evict("a", now_ms).effects.empty());
  run("CLIENT UNPAUSE");
  node.set_replica(true);
  EXPECT_TRUE(node.evict("a", now_ms).effects.empty());
  node.set_replica(false);
  EXPECT_EQ(node.evict("a", now_ms).effects.size(), 1u);
}

TEST_F(WholeNode, ItsCanonicalStateNumbersConnectionsAnew) {
  Node other(scripts);
  for (const auto& [connection, one] : {std::pair{3, &node}, std::pair{8, &other}}) {
    const std::int64_t at = connection * 1'000;
    one->execute({connection, Command({"SET", "k", "x", "PX", "100"}), {at}});
    one->execute({connection, Command({"WATCH", "k"}), {at}});
    one->execute({connection, Command({"MULTI"}), {at}});
    one->execute({connection, Command({"DEL", "k"}), {at}});
  }
  harness::Renamer first, second, third;
  EXPECT_EQ(node.canonical(3'000, first, {{3, 0}}), other.canonical(8'000, second, {{8, 0}}));
  EXPECT_NE(node.canonical(3'000, third, {{3, 0}}).sessions, Sessions());
}

}  // namespace
}  // namespace lockproof::sim::redis::redis_node_test
