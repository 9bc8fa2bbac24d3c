// SPDX-License-Identifier: Apache-2.0
// Each test pins a sentence of docs/services/etcd.md, "The server".
#include <gtest/gtest.h>

#include "algorithms/etcd/requests.hpp"
#include "harness/scenario/scenario.hpp"
#include "harness/scenario/services.hpp"
#include "sim/services/etcd/server.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::etcd::etcd_server_test {
namespace {

namespace client = lockproof::etcd;

const Reply yes = Reply::integer(1), no = Reply::integer(0), ended = Reply::error("NOLEASE");

class EtcdServer : public testing::Test {
 protected:
  [[nodiscard]] ServerTime at() const {
    return {(harness::epoch + now + wall_ahead).count() / 1'000, now.count(), now};
  }
  /// Connection 11 is the first client's, 12 the second's.
  template <class R>
  Reply run(int client, const Call<R>& call) {
    const NodeAnswer executed = server.execute({11 + client, call.command, at(), client});
    waits = executed.waits;
    effects = executed.effects;
    acts = executed.acts;
    pushes = executed.pushes;
    return executed.reply;
  }
  template <class R>
  R answer(int client, const Call<R>& call) {
    return *call.read(run(client, call));
  }
  /// The server looks for leases that are over.
  void act() {
    const ServiceModel::OwnActs acted = server.act(at());
    acts = acted.acts;
    pushes = acted.pushes;
  }
  client::LeaseId lease(int client, seconds ttl = seconds(10)) { return answer(client, client::grant(ttl)).id; }
  client::Put put(int client, const Name& key, client::LeaseId lease) {
    return answer(client, client::put_if_absent(key, lease, "lock/"));
  }
  [[nodiscard]] bool has(const char* key) const { return server.keyspace().key(key) != nullptr; }
  [[nodiscard]] std::vector<std::string> told() const {
    std::vector<std::string> all;
    for (const Push& push : pushes) {
      all.push_back(std::to_string(push.connection) + " " + push.message.items().at(1).value().bytes());
    }
    return all;
  }
  [[nodiscard]] std::optional<Duration> due() const { return server.due(clocks); }

  Duration now{}, wall_ahead{};
  HostClocks clocks{harness::ClockSpec{}};
  Server server{"lock"};
  bool waits = false;
  std::vector<harness::Effect> effects;
  std::vector<OwnAct> acts;
  std::vector<Push> pushes;
};

const Name a("lock/a"), b("lock/b");
using Told = std::vector<std::string>;

TEST_F(EtcdServer, ALeaseIsOfTwoSecondsAtLeast) {
  EXPECT_EQ(answer(0, client::grant(seconds(1))).ttl, seconds(2));
  EXPECT_EQ(answer(0, client::grant(seconds(7))).ttl, seconds(7));
}

TEST_F(EtcdServer, ALeaseEndsAtTheFirstScanAfterItsTime) {
  now = milliseconds(700);
  put(0, a, lease(0, seconds(2)));
  EXPECT_EQ(due(), milliseconds(3'000)) << "2.7 s, and a scan each half second";
  now = milliseconds(3'000);
  EXPECT_TRUE(has("lock/a"));
  act();
  EXPECT_FALSE(has("lock/a"));
  ASSERT_EQ(acts.size(), 1u);
  EXPECT_EQ(acts[0].client, 0);
  EXPECT_EQ(acts[0].word, "lease-end");
}

TEST_F(EtcdServer, OnlyAKeepAliveKeepsALease) {
  const auto id = lease(0, seconds(2));
  put(0, a, id);
  now = milliseconds(1'500);
  EXPECT_EQ(answer(0, client::keep_alive(id)), seconds(2));
  EXPECT_EQ(due(), milliseconds(4'000)) << "3.5 s, whose own millisecond is not over at the scan";
  now = milliseconds(3'000);
  (void)run(0, client::get(a));
  (void)run(0, client::remove(b));
  EXPECT_EQ(due(), milliseconds(4'000));
}

TEST_F(EtcdServer, ALeaseOutlivesItsConnections) {
  const auto id = lease(0);
  put(0, a, id);
  server.disconnected(11);
  EXPECT_TRUE(has("lock/a"));
  EXPECT_EQ(answer(1, client::keep_alive(id)), seconds(10)) << "over another connection";
}

TEST_F(EtcdServer, AKeepAliveOfNoLeaseIsNoError) {
  const auto id = lease(0);
  EXPECT_EQ(answer(0, client::keep_alive(id + 1)), std::nullopt);
  EXPECT_EQ(run(0, client::revoke(id + 1)), ended);
  EXPECT_EQ(run(0, client::put_if_absent(a, id + 1, a)), ended);
}

TEST_F(EtcdServer, AKeepAliveOfALeaseThatIsOverIsAnsweredWhenItHasEnded) {
  const auto id = lease(0, seconds(2));
  now = milliseconds(2'100);
  (void)run(0, client::keep_alive(id));
  EXPECT_TRUE(waits);
  EXPECT_TRUE(server.on_timer(at()).empty());
  now = milliseconds(2'500);
  act();
  const auto answers = server.on_timer(at());
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].connection, 11);
  EXPECT_EQ(answers[0].reply, no);
}

TEST_F(EtcdServer, ALeaseThatIsOverStillTakesKeys) {
  const auto id = lease(0, seconds(2));
  now = milliseconds(2'100);
  EXPECT_TRUE(put(0, a, id).done);
  now = milliseconds(2'500);
  act();
  EXPECT_FALSE(has("lock/a"));
}

TEST_F(EtcdServer, WithItsLeaseAllKeysOfItGoInOneChange) {
  const auto one = lease(0), other = lease(1);
  put(0, a, one);
  put(1, b, other);
  put(0, "lock/c", one);
  EXPECT_EQ(run(0, client::revoke(one)), yes);
  EXPECT_FALSE(has("lock/a") || has("lock/c"));
  EXPECT_TRUE(has("lock/b"));
  EXPECT_EQ(server.keyspace().revision(), 5);
  EXPECT_EQ(run(0, client::revoke(one)), ended);
}

TEST_F(EtcdServer, AnIdOfALeaseIsGivenOnce) {
  const auto id = lease(0);
  (void)run(0, client::revoke(id));
  EXPECT_NE(lease(0), id);
}

TEST_F(EtcdServer, EachChangeHasTheNextRevision) {
  const auto first = put(0, a, client::no_lease);
  EXPECT_TRUE(first.done);
  EXPECT_EQ(first.created, 2) << "that of an empty etcd is 1";
  EXPECT_EQ(first.now, 2);
  (void)run(0, client::remove(a));
  EXPECT_EQ(put(0, a, client::no_lease).created, 4) << "the deletion has one of its own";
  EXPECT_EQ(run(0, client::remove(b)), no);
  EXPECT_EQ(put(0, b, client::no_lease).created, 5) << "what changes nothing has none";
}

TEST_F(EtcdServer, AKeyThatIsThereIsNotPut) {
  const auto id = lease(1);
  put(0, a, client::no_lease);
  const auto refused = put(1, a, id);
  EXPECT_FALSE(refused.done);
  EXPECT_EQ(refused.created, 2) << "that of the key which is there";
  EXPECT_EQ(refused.now, 2);
}

TEST_F(EtcdServer, APutAnswersWhichKeyUnderThePrefixCameFirst) {
  put(0, b, client::no_lease);
  const auto later = put(1, a, client::no_lease);
  EXPECT_EQ(later.created, 3);
  EXPECT_EQ(later.first, 2);
}

TEST_F(EtcdServer, TheLastKeyBeforeARevisionIsFound) {
  for (const char* const key : {"lock/z", "lock/a", "other", "lock/m"}) put(0, key, client::no_lease);
  const auto before = [&](client::Revision revision) { return answer(0, client::last_before("lock/", revision)); };
  EXPECT_EQ(before(5)->key, a);
  EXPECT_EQ(before(5)->created, 3);
  EXPECT_EQ(before(5)->now, 5);
  EXPECT_EQ(before(3)->key, Name("lock/z"));
  EXPECT_EQ(before(2), std::nullopt);
}

TEST_F(EtcdServer, ADeletionMayAskForTheRevision) {
  put(0, a, client::no_lease);
  EXPECT_EQ(run(0, client::remove_if_created(a, 3)), no);
  EXPECT_TRUE(has("lock/a"));
  EXPECT_EQ(run(1, client::remove_if_created(a, 2)), yes) << "whoever it is";
  EXPECT_EQ(run(1, client::remove_if_created(a, 2)), no);
}

TEST_F(EtcdServer, AWatchTellsThatItsKeyIsDeleted) {
  const auto made = put(0, a, client::no_lease);
  EXPECT_EQ(run(1, client::watch(a, made.now)), yes);
  EXPECT_TRUE(told().empty());
  (void)run(0, client::remove(a));
  EXPECT_EQ(told(), Told{"12 lock/a"});
}

TEST_F(EtcdServer, AWatchTellsWhatHappenedSinceItsRevision) {
  const auto made = put(0, a, client::no_lease);
  (void)run(0, client::remove(a));
  (void)run(1, client::watch(a, made.now));
  EXPECT_EQ(told(), Told{"12 lock/a"});
  const auto again = put(0, a, client::no_lease);
  (void)run(1, client::watch(a, made.now));
  EXPECT_EQ(told(), Told{"12 lock/a"}) << "it is another one";
  (void)run(1, client::watch(a, again.now));
  EXPECT_TRUE(told().empty());
  (void)run(0, client::watch(a, made.now));
  EXPECT_EQ(told(), Told{"11 lock/a"}) << "and nobody else, whose watch began later";
}

TEST_F(EtcdServer, TheEndOfALeaseIsToldToWatchers) {
  const auto made = put(0, a, lease(0, seconds(2)));
  put(1, b, lease(1));
  (void)run(1, client::watch(a, made.now));
  now = milliseconds(2'500);
  act();
  EXPECT_EQ(told(), Told{"12 lock/a"});
  ASSERT_EQ(acts.size(), 2u);
  EXPECT_EQ(acts[1].client, 1);
  EXPECT_EQ(acts[1].word, "turn");
}

TEST_F(EtcdServer, AWatchGoesWithItsConnection) {
  const auto made = put(0, a, client::no_lease);
  (void)run(1, client::watch(a, made.now));
  server.disconnected(12);
  (void)run(0, client::remove(a));
  EXPECT_TRUE(told().empty());
}

TEST_F(EtcdServer, AfterARestartAllIsThereAndLeasesHaveTheirTimeAndThatOfAnElection) {
  const auto id = lease(0, seconds(4));
  put(0, a, id);
  now = seconds(3);
  EXPECT_TRUE(server.stop(true, at()).empty());
  now = seconds(20);
  EXPECT_EQ(due(), std::nullopt) << "nobody counts meanwhile";
  server.restart(at());
  EXPECT_TRUE(has("lock/a"));
  EXPECT_EQ(due(), milliseconds(25'500)) << "4 s and 1 s, and the scan behind them";
  EXPECT_EQ(put(1, b, client::no_lease).created, 3);
}

TEST_F(EtcdServer, AStepBackOfTheWallClockPutsOffTheEndOfALease) {
  put(0, a, lease(0, seconds(2)));
  wall_ahead = -seconds(3);
  clocks.jump(wall_ahead);
  now = milliseconds(2'500);
  act();
  EXPECT_TRUE(has("lock/a")) << "it is over, and the server does not look at it";
  EXPECT_EQ(due(), milliseconds(5'500));
  now = milliseconds(5'500);
  act();
  EXPECT_FALSE(has("lock/a"));
}

TEST_F(EtcdServer, AStepForwardOfTheWallClockEndsNoLease) {
  put(0, a, lease(0, seconds(2)));
  wall_ahead = seconds(3);
  clocks.jump(wall_ahead);
  now = milliseconds(500);
  act();
  EXPECT_TRUE(has("lock/a")) << "the server looks at it, and it is not over";
  EXPECT_EQ(due(), milliseconds(3'500)) << "it looks again 3 s later";
}

TEST_F(EtcdServer, TheLockIsWhoseKeyWasCreatedFirst) {
  put(0, b, lease(0));
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(effects[0].event, "first");
  put(1, a, lease(1));
  EXPECT_TRUE(effects.empty());
  (void)run(0, client::remove(b));
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(effects[0].change, harness::Change::released);
  ASSERT_EQ(acts.size(), 1u);
  EXPECT_EQ(acts[0].client, 1);
}

TEST_F(EtcdServer, TheEndOfALeaseWithoutKeysIsNoEvent) {
  (void)lease(0, seconds(2));
  now = milliseconds(2'500);
  act();
  EXPECT_TRUE(acts.empty());
  EXPECT_EQ(due(), std::nullopt);
}

}  // namespace
}  // namespace lockproof::sim::etcd::etcd_server_test
