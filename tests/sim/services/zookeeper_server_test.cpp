// SPDX-License-Identifier: Apache-2.0
// Each test pins a sentence of docs/services/zookeeper.md, "The server".
#include <gtest/gtest.h>

#include "algorithms/zookeeper/queue.hpp"
#include "algorithms/zookeeper/requests.hpp"
#include "harness/scenario/scenario.hpp"
#include "harness/scenario/services.hpp"
#include "sim/services/zookeeper/server.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::zookeeper::zookeeper_server_test {
namespace {

namespace zk = lockproof::zookeeper;

const Reply yes = Reply::integer(1), no = Reply::integer(0), ended = Reply::error("SESSIONEXPIRED");
Reply made(const char* path) { return Reply::bulk(path); }

class ZooKeeperServer : public testing::Test {
 protected:
  [[nodiscard]] ServerTime at() const { return {(harness::epoch + now).count() / 1'000, now.count(), now}; }
  /// Connection 11 is the first client's, 12 the second's.
  template <class R>
  Reply run(int client, const Call<R>& call) {
    return run_over(11 + client, client, call);
  }
  template <class R>
  Reply run_over(int connection, int client, const Call<R>& call) {
    const NodeAnswer executed = server.execute({connection, call.command, at(), client});
    effects = executed.effects;
    acts = executed.acts;
    pushes = executed.pushes;
    closes = executed.closes;
    return executed.reply;
  }
  /// Lets the sessions end that are over.
  void act() {
    const ServiceModel::OwnActs acted = server.act(at());
    acts = acted.acts;
    pushes = acted.pushes;
    closes = acted.closes;
  }
  zk::SessionId open(int client, milliseconds timeout = milliseconds(10'000)) {
    return run(client, zk::connect(timeout)).items().at(0).integer();
  }
  [[nodiscard]] std::vector<std::string> told() const {
    std::vector<std::string> all;
    for (const Push& push : pushes) {
      all.push_back(std::to_string(push.connection) + " " + push.message.items().at(1).value().bytes());
    }
    return all;
  }
  [[nodiscard]] std::optional<Duration> due() const { return server.due(HostClocks(harness::ClockSpec{})); }

  Duration now{};
  Server server{"lock", milliseconds(2'000)};
  std::vector<harness::Effect> effects;
  std::vector<OwnAct> acts;
  std::vector<Push> pushes;
  std::vector<int> closes;
};

const Name lock("lock"), a("lock/a"), b("lock/b");
using Told = std::vector<std::string>;

TEST_F(ZooKeeperServer, ATimeOutIsBetweenTwoTicksAndTwenty) {
  const auto granted = [&](milliseconds asked) { return run(0, zk::connect(asked)).items().at(1).integer(); };
  EXPECT_EQ(granted(milliseconds(10)), 4'000);
  EXPECT_EQ(granted(milliseconds(10'000)), 10'000);
  EXPECT_EQ(granted(milliseconds(100'000)), 40'000);
}

TEST_F(ZooKeeperServer, TheTickIsAQuarterOfTheShortestSession) {
  const auto tick = [](const char* workload) {
    return harness::tick_of(tests::scenario(std::string("[workload]\n") + workload, "zookeeper-queue"));
  };
  EXPECT_EQ(tick(""), milliseconds(2'000));
  EXPECT_EQ(tick("lease = \"2s\"\n"), milliseconds(500));
  EXPECT_EQ(tick("lease = \"30s\"\n[[client]]\nname = \"client-1\"\nlease = \"4s\"\n"), milliseconds(1'000));
}

TEST_F(ZooKeeperServer, ASessionEndsAtTheFirstTickAfterItsTimeOut) {
  now = milliseconds(1'500);
  const auto session = open(0);
  EXPECT_EQ(run(0, zk::create(session, a)), made("lock/a"));
  EXPECT_EQ(due(), milliseconds(12'000));
  now = milliseconds(2'000);
  EXPECT_EQ(run(0, zk::ping(session)), yes);
  EXPECT_EQ(due(), milliseconds(14'000)) << "12 s is a tick, and the end is later";
  now = milliseconds(13'999);
  act();
  EXPECT_TRUE(server.tree().exists("lock/a"));
  now = milliseconds(14'000);
  act();
  EXPECT_FALSE(server.tree().exists("lock/a"));
  ASSERT_EQ(acts.size(), 1u);
  EXPECT_EQ(acts[0].client, 0);
  EXPECT_EQ(acts[0].word, "session-end");
}

TEST_F(ZooKeeperServer, AnyRequestKeepsItsSession) {
  const auto session = open(0);
  (void)run(0, zk::create(session, a));
  for (int i = 1; i <= 5; ++i) {
    now = milliseconds(9'000 * i);
    EXPECT_EQ(run(0, zk::children(session, lock)), Reply::array({Reply::bulk("a")}));
    act();
  }
  EXPECT_TRUE(server.tree().exists("lock/a"));
}

TEST_F(ZooKeeperServer, ASessionOutlivesItsConnections) {
  const auto session = open(0);
  (void)run(0, zk::create(session, a));
  server.disconnected(11);
  EXPECT_TRUE(server.tree().exists("lock/a"));
  EXPECT_EQ(run(1, zk::ping(session)), yes) << "over another connection";
}

TEST_F(ZooKeeperServer, RequestsOfASessionThatHasEndedAreRefused) {
  const auto session = open(0);
  now = milliseconds(12'000);
  for (const Reply& reply : {run(0, zk::ping(session)), run(0, zk::create(session, a)), run(0, zk::remove(session, a)),
                             run(0, zk::children(session, lock)), run(0, zk::watch(session, a))}) {
    EXPECT_EQ(reply, ended);
  }
  EXPECT_EQ(run(0, zk::ping(77)), ended);
  EXPECT_NE(open(0), session) << "a number is given once";
}

TEST_F(ZooKeeperServer, WithItsSessionAllNodesOfItGoAtOnce) {
  const auto one = open(0), other = open(1);
  (void)run(0, zk::create(one, a));
  (void)run(1, zk::create_numbered(other, "lock/n-"));
  (void)run(0, zk::create(one, b));
  EXPECT_EQ(run(0, zk::close(one)), yes);
  EXPECT_EQ(run(1, zk::children(other, lock)), Reply::array({Reply::bulk("n-0000000001")}));
  EXPECT_EQ(run(0, zk::ping(one)), ended);
}

TEST_F(ZooKeeperServer, ANumberIsThatOfTheNodesThatWereMadeBefore) {
  const auto session = open(0);
  EXPECT_EQ(run(0, zk::create_numbered(session, "lock/n-")), made("lock/n-0000000000"));
  EXPECT_EQ(run(0, zk::create(session, a)), made("lock/a"));
  EXPECT_EQ(run(0, zk::remove(session, "lock/n-0000000000")), yes);
  EXPECT_EQ(run(0, zk::create_numbered(session, "lock/m-")), made("lock/m-0000000002"));
  EXPECT_EQ(zk::number_of("lock/m-0000000002"), 2);
}

TEST_F(ZooKeeperServer, ANodeOfThatNameIsNotMadeTwice) {
  const auto one = open(0), other = open(1);
  EXPECT_EQ(run(0, zk::create(one, a)), made("lock/a"));
  EXPECT_EQ(run(1, zk::create(other, a)), Reply::nil());
  EXPECT_EQ(run(1, zk::create_numbered(other, "lock/n-")), made("lock/n-0000000001")) << "a refusal counts nothing";
}

TEST_F(ZooKeeperServer, ThereIsNoNodeWithoutItsParent) {
  const auto session = open(0);
  EXPECT_EQ(run(0, zk::create(session, "other/a")), Reply::error("NONODE"));
  EXPECT_EQ(run(0, zk::children(session, "other")), Reply::error("NONODE"));
}

TEST_F(ZooKeeperServer, AnybodyDeletesANode) {
  const auto one = open(0), other = open(1);
  (void)run(0, zk::create(one, a));
  EXPECT_EQ(run(1, zk::remove(other, a)), yes);
  EXPECT_EQ(run(1, zk::remove(other, a)), no);
}

TEST_F(ZooKeeperServer, AWatchTellsOnceOfTheNextChange) {
  const auto one = open(0), other = open(1);
  (void)run(0, zk::create(one, a));
  EXPECT_EQ(run(1, zk::watch(other, a)), yes);
  EXPECT_EQ(run(1, zk::watch(other, a)), yes);
  (void)run(0, zk::remove(one, a));
  EXPECT_EQ(told(), Told{"12 lock/a"}) << "two watches of one connection are one";
  (void)run(0, zk::create(one, a));
  EXPECT_TRUE(told().empty());
}

TEST_F(ZooKeeperServer, AWatchOnNoNodeTellsThatItWasMade) {
  const auto one = open(0), other = open(1);
  EXPECT_EQ(run(1, zk::watch(other, a)), no);
  (void)run(0, zk::create(one, a));
  EXPECT_EQ(told(), Told{"12 lock/a"});
}

TEST_F(ZooKeeperServer, TheEndOfASessionIsToldToWatchers) {
  const auto one = open(0);
  (void)run(0, zk::create_numbered(one, "lock/n-"));
  now = milliseconds(11'000);
  const auto other = open(1);
  (void)run(1, zk::create_numbered(other, "lock/n-"));
  (void)run(1, zk::watch(other, "lock/n-0000000000"));
  now = milliseconds(12'000);
  act();
  EXPECT_EQ(told(), Told{"12 lock/n-0000000000"});
  ASSERT_EQ(acts.size(), 2u);
  EXPECT_EQ(acts[1].client, 1);
  EXPECT_EQ(acts[1].word, "turn");
}

TEST_F(ZooKeeperServer, AWatchGoesWithItsConnection) {
  const auto one = open(0), other = open(1);
  (void)run(0, zk::create(one, a));
  (void)run(1, zk::watch(other, a));
  server.disconnected(12);
  (void)run(0, zk::remove(one, a));
  EXPECT_TRUE(told().empty());
}

TEST_F(ZooKeeperServer, ASessionThatGoesOnOverAnotherConnectionEndsTheOneBefore) {
  const auto one = open(0), other = open(1);
  (void)run(0, zk::create(one, a));
  EXPECT_EQ(run(1, zk::watch(other, a)), yes);
  EXPECT_TRUE(closes.empty());
  EXPECT_EQ(run_over(21, 1, zk::ping(other)), yes);
  EXPECT_EQ(closes, std::vector<int>{12});
  (void)run(0, zk::remove(one, a));
  EXPECT_TRUE(told().empty()) << "its watches went with it";
  EXPECT_EQ(run_over(21, 1, zk::ping(other)), yes);
  EXPECT_TRUE(closes.empty());
}

TEST_F(ZooKeeperServer, AConnectionEndsWithItsSession) {
  const auto one = open(0), other = open(1);
  (void)run(0, zk::create(one, a));
  (void)run(1, zk::create(other, b));
  EXPECT_EQ(run(0, zk::close(one)), yes);
  EXPECT_EQ(closes, std::vector<int>{11});
  now = milliseconds(12'000);
  act();
  EXPECT_EQ(closes, std::vector<int>{12});
}

TEST_F(ZooKeeperServer, AWatchGoesWithItsSession) {
  const auto one = open(0), other = open(1);
  (void)run(1, zk::watch(other, a));
  now = milliseconds(9'000);
  EXPECT_EQ(run(0, zk::ping(one)), yes);
  now = milliseconds(12'000);
  (void)run(0, zk::create(one, a));
  EXPECT_TRUE(told().empty()) << "its session had no node, and ended without a word";
  const auto third = open(1);
  EXPECT_EQ(run(1, zk::watch(third, a)), yes);
  const auto fourth = open(1);
  (void)run(0, zk::remove(one, a));
  EXPECT_TRUE(told().empty()) << "another session of its client has another connection";
  EXPECT_EQ(run(1, zk::ping(fourth)), yes);
}

TEST_F(ZooKeeperServer, AfterARestartAllIsThereAndSessionsHaveTheirWholeTime) {
  const auto session = open(0);
  (void)run(0, zk::create_numbered(session, "lock/n-"));
  (void)run(0, zk::watch(session, "lock/n-0000000000"));
  now = milliseconds(9'000);
  EXPECT_TRUE(server.stop(true, at()).empty());
  now = milliseconds(15'000);
  EXPECT_EQ(due(), std::nullopt) << "nobody counts meanwhile";
  server.restart(at());
  EXPECT_EQ(due(), milliseconds(26'000));
  EXPECT_EQ(run(0, zk::remove(session, "lock/n-0000000000")), yes);
  EXPECT_TRUE(told().empty()) << "watches are of connections";
  EXPECT_EQ(run(0, zk::create_numbered(session, "lock/n-")), made("lock/n-0000000001"));
}

TEST_F(ZooKeeperServer, TheLockIsTheSessionsWhoseNodeComesFirst) {
  const auto one = open(0), other = open(1);
  (void)run(0, zk::create_numbered(one, "lock/n-"));
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(effects[0].event, "first");
  (void)run(1, zk::create_numbered(other, "lock/n-"));
  EXPECT_TRUE(effects.empty());
  (void)run(0, zk::remove(one, "lock/n-0000000000"));
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(effects[0].change, harness::Change::released);
  ASSERT_EQ(acts.size(), 1u);
  EXPECT_EQ(acts[0].client, 1);
}

}  // namespace
}  // namespace lockproof::sim::zookeeper::zookeeper_server_test
