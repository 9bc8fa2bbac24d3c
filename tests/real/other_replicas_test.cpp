// SPDX-License-Identifier: Apache-2.0
// What becomes of a master's other replicas when one of them takes its place: what real servers do by themselves, and
// that real runs make them. The simulator does the same, see tests/sim/other_replicas_test.cpp.
#include <gtest/gtest.h>

#include <charconv>

#include "real/clock/world_time.hpp"
#include "real/run/run.hpp"
#include "real/services/redis/redis_host.hpp"
#include "tests/fixtures.hpp"
#include "tests/real/on_time.hpp"

namespace lockproof::tests::other_replicas_test {
namespace {

using harness::Event;
using harness::What;

class OtherReplica : public testing::Test {
 protected:
  OtherReplica() {
    for (real::RedisHost* host : {&master_, &promoted_, &other_}) host->await_ready();
    for (real::RedisHost* replica : {&promoted_, &other_}) follow(*replica, master_);
  }
  void follow(real::RedisHost& replica, real::RedisHost& master) {
    replica.replicate_from(master.process().port());
    const std::int64_t give_up = real::machine_ns() + 5'000'000'000;
    while (!replica.in_step() && real::machine_ns() < give_up) {
    }
  }
  /// It keeps what it has, and gets no more.
  static void cut_off(real::RedisHost& replica) { replica.replicate_from(1); }

  void set(int keys) {
    for (int i = 0; i < keys; ++i) {
      const std::string key = "key-" + std::to_string(++written_ % 3), value = std::to_string(written_);
      EXPECT_TRUE(master_.process().ask({"SET", key, value, "PX", "1000000"}));
    }
  }
  /// Until so many replicas have all that was written.
  void await(const char* replicas) { EXPECT_TRUE(master_.process().ask({"WAIT", replicas, "5000"})); }

  static std::string contents(real::RedisHost& host) {
    std::string all;
    for (const char* key : {"key-0", "key-1", "key-2"}) {
      const auto value = host.process().ask({"GET", key});
      const auto until = host.process().ask({"PEXPIRETIME", key});
      all += value->value().bytes() + " until " + std::to_string(until->integer()) + "\n";
    }
    return all;
  }
  static int counted(real::RedisHost& host, const std::string& what) {
    const std::string info = host.process().ask({"INFO", "stats"})->value().bytes();
    const std::size_t at = info.find("\n" + what + ":") + what.size() + 2;
    int count = -1;
    std::from_chars(info.data() + at, info.data() + info.size(), count);
    return count;
  }
  void fail_over() {
    promoted_.replicate_from(0);
    follow(other_, promoted_);
  }

  real::Janitor janitor_;
  const harness::ServerSpec specs_[3] = {{"redis-1", {}}, {"redis-2", {}}, {"redis-3", {}}};
  real::RedisHost master_{specs_[0], janitor_, 1, {}}, promoted_{specs_[1], janitor_, 1, {}},
      other_{specs_[2], janitor_, 1, {}};
  int written_ = 0;
};

TEST_F(OtherReplica, ThatLacksWhatThePromotedOneHasIsSentIt) {
  set(4);
  await("2");
  cut_off(other_);
  set(3);
  await("1");
  const std::string kept = contents(promoted_);
  EXPECT_NE(contents(other_), kept);
  fail_over();
  const std::int64_t give_up = real::machine_ns() + 5'000'000'000;
  while (contents(other_) != kept && real::machine_ns() < give_up) {  // its link is up, and what it lacks on its way
  }
  EXPECT_EQ(contents(other_), kept);
  EXPECT_EQ(counted(promoted_, "sync_partial_ok"), 1) << "by what it lacks, and not by a copy";
  EXPECT_EQ(counted(promoted_, "sync_full"), 0);
}

TEST_F(OtherReplica, LosesWhatThePromotedOneLacks) {
  set(4);
  await("2");
  cut_off(promoted_);
  set(3);
  await("1");
  const std::string kept = contents(promoted_), more = contents(other_);
  EXPECT_NE(more, kept);
  fail_over();
  EXPECT_EQ(contents(other_), kept);
  EXPECT_EQ(counted(promoted_, "sync_full"), 1) << "by a copy, since it has what the promoted one has not";
}

TEST_F(OtherReplica, IsCountedByTheNewMaster) {
  set(1);
  await("2");
  fail_over();
  EXPECT_TRUE(promoted_.process().ask({"SET", "key-0", "new"}));
  EXPECT_EQ(promoted_.process().ask({"WAIT", "1", "5000"}), Reply::integer(1));
  EXPECT_EQ(contents(other_), contents(promoted_));
}

TEST_F(OtherReplica, ThatComesMeanwhileIsCounted) {
  cut_off(promoted_);
  cut_off(other_);
  set(1);
  const std::int64_t before = real::machine_ns();
  EXPECT_TRUE(other_.process().ask({"REPLICAOF", "127.0.0.1", std::to_string(master_.process().port())}));
  EXPECT_EQ(master_.process().ask({"WAIT", "1", "4000"}), Reply::integer(1));
  EXPECT_LT(real::machine_ns() - before, 3'000'000'000) << "it says once a second what it has";
}

const std::string three =
    "[servers]\nredis = 3\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n"
    "[[server]]\nname = \"redis-3\"\nreplica_of = \"redis-1\"\n";
const std::string rivals =
    "[workload]\nlease = \"60s\"\nwork = [\"hold 6s\"]\nacquire_timeout = \"60s\"\nretry = \"1s\"\n"
    "[[client]]\nname = \"client-2\"\nstart = \"1s\"\n";

std::string fault(const std::string& kind, const std::string& target, const std::string& rest) {
  return "[[fault]]\nkind = \"" + kind + "\"\ntarget = \"" + target + "\"\n" + rest + "\n";
}
const std::string over = fault("failover", "redis-1", "at = \"3s\"\nto = \"redis-2\"");

/// All that redis-3 ran for somebody, from an instant on, is from redis-2; answers how much that is.
std::size_t follows_the_new_one(const harness::History& h, Duration from) {
  std::size_t ran = 0;
  for (const std::size_t i : where(h, What::replicate, "redis-3")) {
    const Event& e = h.events[i];
    if (e.at < from) continue;
    EXPECT_EQ(h.host_name(e.peer), "redis-2") << e.command->verb();
    ++ran;
  }
  return ran;
}

TEST(OtherReplicas, FollowTheNewMasterInRealRuns) {
  const auto h = run_on_time(scenario(rivals + three + over));
  EXPECT_GE(follows_the_new_one(h, seconds(4)), 3U) << "a DEL, a SET and another DEL";
  const auto serves = run_on_time(scenario(
      rivals + three +
      fault("failover", "redis-1", "at = \"3s\"\nto = \"redis-2\"\nold = \"serves\"\nnotified = [\"client-2\"]")));
  EXPECT_GE(follows_the_new_one(serves, seconds(4)), 1U) << "client-2's DEL, and nothing of client-1";
}

TEST(OtherReplicas, FollowOnceTheyGoOnInRealRuns) {
  for (const char* kind : {"pause", "restart"}) {
    const auto h = real::run(scenario(rivals + three + fault(kind, "redis-3", "at = \"2s\"\nfor = \"3s\"") + over), {});
    EXPECT_GE(follows_the_new_one(h, seconds(4)), 3U) << kind;
  }
}

/// Several times, since a replica that was just connecting to its master once held up the whole run for five seconds.
TEST(OtherReplicas, MayBePromotedInTheirTurnInRealRuns) {
  for (int times = 0; times < 8; ++times) {
    const auto h =
        real::run(scenario(rivals + three + over + fault("failover", "redis-2", "at = \"5s\"\nto = \"redis-3\"")), {});
    EXPECT_EQ(where(h, What::strike).size(), 2U);
    EXPECT_FALSE(where(h, What::execute, "redis-3").empty());
    EXPECT_GT(event(h, What::enter, "client-2").at, event(h, What::exit, "client-1").at);
  }
  const auto not_again =
      real::run(scenario(rivals + three + over + fault("failover", "redis-1", "at = \"5s\"\nto = \"redis-3\"")), {});
  EXPECT_EQ(where(not_again, What::strike).size(), 1U);
}

/// One of two replicas has acknowledged the lock, and the other one is promoted.
TEST(OtherReplicas, TellTheNewMasterThatTheyHaveTheNextLock) {
  const auto s = scenario("wait = \"2s\"\n" + rivals + three + "[real]\nspeedup = 8\n" +
                              fault("replication-stall", "redis-2", "at = \"0s\"\nfor = \"30s\"") + over,
                          "set-px-token-wait");
  const auto h = real::run(s, {});
  EXPECT_EQ(judged(h, s, "mutual-exclusion").kind, "double-grant");
}

}  // namespace
}  // namespace lockproof::tests::other_replicas_test
