// SPDX-License-Identifier: Apache-2.0
// Each test pins a sentence of docs/services/chubby.md, "The master".
#include <gtest/gtest.h>

#include "algorithms/chubby/requests.hpp"
#include "sim/services/chubby/master.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::chubby::chubby_master_test {
namespace {

namespace cb = lockproof::chubby;

const Reply yes = Reply::integer(1), no = Reply::integer(0), ended = Reply::error("SESSIONEXPIRED");
const Name lock("lock");
constexpr milliseconds lease(12'000), minute(60'000);

class ChubbyMaster : public testing::Test {
 protected:
  [[nodiscard]] ServerTime at() const { return {(harness::epoch + now).count() / 1'000, now.count(), now}; }
  /// Connection 11 is the first client's, 12 the second's. Nothing: the call waits.
  template <class R>
  std::optional<Reply> run(int client, const Call<R>& call) {
    const NodeAnswer executed = master.execute({11 + client, call.command, at(), client});
    effects = executed.effects;
    return executed.waits ? std::nullopt : std::optional(executed.reply);
  }
  cb::SessionId open(int client) { return run(client, cb::create_session(lease))->items().at(0).integer(); }
  /// A session that has the lock.
  cb::SessionId holder(int client, milliseconds lock_delay = minute) {
    const cb::SessionId session = open(client);
    EXPECT_EQ(run(client, cb::try_acquire(session, lock, lock_delay)), yes);
    return session;
  }
  void come_to(milliseconds instant) {
    now = instant;
    ended_sessions = master.act(at()).acts;
    answers = master.on_timer(at());
  }
  [[nodiscard]] std::optional<Duration> due() const { return master.due(HostClocks(harness::ClockSpec{})); }
  [[nodiscard]] static Reply extended(int held_ms) {
    return Reply::array({Reply::integer(held_ms), Reply::integer(lease.count())});
  }

  Duration now{};
  Master master;
  std::vector<harness::Effect> effects;
  std::vector<OwnAct> ended_sessions;
  std::vector<ServiceModel::Answer> answers;
};

TEST_F(ChubbyMaster, ASessionEndsWhenItsLeaseDoes) {
  const auto session = holder(0);
  EXPECT_EQ(due(), lease);
  come_to(milliseconds(11'999));
  EXPECT_TRUE(ended_sessions.empty());
  come_to(lease);
  ASSERT_EQ(ended_sessions.size(), 1u);
  EXPECT_EQ(ended_sessions[0].client, 0);
  EXPECT_EQ(ended_sessions[0].word, "session-end");
  EXPECT_EQ(run(0, cb::release(session, lock)), ended);
}

TEST_F(ChubbyMaster, CallsOfASessionThatHasEndedAreRefused) {
  const auto session = open(0);
  now = lease;
  EXPECT_EQ(run(0, cb::keep_alive(session)), ended);
  EXPECT_EQ(run(0, cb::try_acquire(session, lock, minute)), ended);
  EXPECT_EQ(run(0, cb::get_sequencer(session, lock)), ended);
  EXPECT_EQ(run(0, cb::release(session, lock)), ended);
  EXPECT_EQ(run(0, cb::keep_alive(77)), ended);
  EXPECT_NE(open(0), session) << "a number is given once";
}

TEST_F(ChubbyMaster, OnlyAKeepAliveKeepsASession) {
  const auto session = holder(0);
  come_to(milliseconds(11'000));
  EXPECT_EQ(run(0, cb::try_acquire(session, lock, minute)), yes);
  EXPECT_NE(run(0, cb::get_sequencer(session, lock)), ended);
  EXPECT_EQ(due(), lease);
  EXPECT_EQ(run(0, cb::keep_alive(session)), extended(0));
  EXPECT_EQ(due(), milliseconds(23'000));
}

TEST_F(ChubbyMaster, AKeepAliveIsHeldBackUntilAFourthOfTheLeaseIsLeft) {
  const auto session = holder(0);
  now = milliseconds(1'000);
  EXPECT_EQ(run(0, cb::keep_alive(session)), std::nullopt);
  EXPECT_EQ(due(), milliseconds(9'000));
  come_to(milliseconds(9'000));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].connection, 11);
  EXPECT_EQ(answers[0].reply, extended(8'000));
  EXPECT_EQ(due(), milliseconds(21'000)) << "the lease begins again as it is answered";
}

TEST_F(ChubbyMaster, OtherCallsDoNotWaitBehindAKeepAlive) {
  const auto session = holder(0);
  EXPECT_EQ(run(0, cb::keep_alive(session)), std::nullopt);
  EXPECT_FALSE(master.answers_in_order());
  EXPECT_EQ(run(0, cb::release(session, lock)), yes);
}

TEST_F(ChubbyMaster, AllKeepAlivesOfASessionOrAConnectionAreAnsweredTogether) {
  const auto session = holder(0);
  EXPECT_EQ(run(0, cb::keep_alive(session)), std::nullopt);
  now = milliseconds(5'000);
  EXPECT_EQ(run(1, cb::keep_alive(session)), std::nullopt) << "over another connection";
  come_to(milliseconds(9'000));
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].reply, extended(9'000));
  EXPECT_EQ(answers[1].reply, extended(4'000));
  EXPECT_EQ(run(0, cb::keep_alive(session)), std::nullopt);
  const auto next = open(0);
  now = milliseconds(10'000);
  EXPECT_EQ(run(0, cb::keep_alive(next)), std::nullopt) << "over one connection, behind that of another session";
  come_to(milliseconds(18'000));
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].reply, extended(9'000));
  EXPECT_EQ(answers[1].reply, extended(8'000));
}

TEST_F(ChubbyMaster, WhileAKeepAliveWaitsItsSessionDoesNotEnd) {
  const auto session = holder(0);
  EXPECT_EQ(run(0, cb::keep_alive(session)), std::nullopt);
  come_to(milliseconds(13'000));  // the master itself stood still
  EXPECT_TRUE(ended_sessions.empty());
  EXPECT_EQ(answers.size(), 1u);
  EXPECT_EQ(due(), milliseconds(25'000));
}

TEST_F(ChubbyMaster, AKeepAliveGoesWithItsConnectionIfTheMasterLearnsOfTheEnd) {
  const auto session = holder(0);
  EXPECT_EQ(run(0, cb::keep_alive(session)), std::nullopt);
  master.disconnected(11);
  EXPECT_EQ(due(), lease);
}

TEST_F(ChubbyMaster, ALockIsOneSessionsAtATime) {
  const auto one = holder(0);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(effects[0].change, harness::Change::acquired);
  const auto other = open(1);
  EXPECT_EQ(run(1, cb::try_acquire(other, lock, minute)), no);
  EXPECT_EQ(run(1, cb::release(other, lock)), no);
  EXPECT_EQ(run(1, cb::get_sequencer(other, lock)), Reply::nil());
  EXPECT_EQ(run(0, cb::release(one, lock)), yes);
  EXPECT_EQ(run(0, cb::release(one, lock)), no);
}

TEST_F(ChubbyMaster, WhoHasTheLockIsToldSoAgain) {
  const auto session = holder(0);
  EXPECT_EQ(run(0, cb::try_acquire(session, lock, minute)), yes);
  EXPECT_TRUE(effects.empty());
  EXPECT_EQ(master.database().locks.at("lock").generation, 1);
}

TEST_F(ChubbyMaster, AfterAReleaseTheLockIsFreeAtOnce) {
  const auto one = holder(0), other = open(1);
  EXPECT_EQ(run(0, cb::release(one, lock)), yes);
  EXPECT_EQ(run(1, cb::try_acquire(other, lock, minute)), yes);
}

TEST_F(ChubbyMaster, AfterTheEndOfASessionNobodyGetsItsLockForTheLockDelay) {
  (void)holder(0, milliseconds(20'000));
  come_to(lease);
  ASSERT_EQ(ended_sessions.size(), 1u);
  ASSERT_EQ(ended_sessions[0].effects.size(), 1u);
  EXPECT_EQ(ended_sessions[0].effects[0].change, harness::Change::expired);
  come_to(milliseconds(31'999));
  const auto other = open(1);
  EXPECT_EQ(run(1, cb::try_acquire(other, lock, minute)), no);
  come_to(milliseconds(32'000));
  EXPECT_EQ(run(1, cb::try_acquire(other, lock, minute)), yes);
}

TEST_F(ChubbyMaster, ALockDelayIsAMinuteAtMost) {
  (void)holder(0, minute * 10);
  come_to(lease);
  come_to(lease + minute);
  EXPECT_EQ(run(1, cb::try_acquire(open(1), lock, minute)), yes);
}

TEST_F(ChubbyMaster, ASequencerSaysTheLockTheModeAndTheGeneration) {
  const auto sequencer = [](int generation) {
    return Reply::array({Reply::bulk("lock"), Reply::bulk("exclusive"), Reply::integer(generation)});
  };
  const auto one = holder(0), other = open(1);
  EXPECT_EQ(run(0, cb::get_sequencer(one, lock)), sequencer(1));
  (void)run(0, cb::release(one, lock));
  (void)run(1, cb::try_acquire(other, lock, minute));
  EXPECT_EQ(run(1, cb::get_sequencer(other, lock)), sequencer(2)) << "it grows as the free lock is taken";
}

TEST_F(ChubbyMaster, TheNextMasterKnowsLocksSessionsAndLockDelays) {
  const auto session = holder(0, milliseconds(20'000));
  EXPECT_EQ(run(0, cb::keep_alive(session)), std::nullopt);
  now = milliseconds(5'000);
  EXPECT_TRUE(master.stop(true, at()).empty());
  now = milliseconds(40'000);
  EXPECT_EQ(due(), std::nullopt) << "nobody counts meanwhile";
  master.restart(at());
  EXPECT_EQ(due(), milliseconds(52'000)) << "each session has a whole lease";
  EXPECT_EQ(run(1, cb::try_acquire(open(1), lock, minute)), no);
  come_to(milliseconds(52'000));
  (void)master.stop(true, at());
  master.restart(at());
  come_to(milliseconds(71'999));
  EXPECT_EQ(run(1, cb::try_acquire(open(1), lock, minute)), no) << "the lock-delay goes on";
  come_to(milliseconds(72'000));
  EXPECT_EQ(run(1, cb::try_acquire(open(1), lock, minute)), yes);
}

TEST_F(ChubbyMaster, ASessionThatHasEndedBeforeAFailOverStaysEnded) {
  const cb::SessionId before = open(0);
  come_to(milliseconds(11'000));
  const cb::SessionId during = open(1);
  come_to(milliseconds(13'000));
  (void)master.stop(false, at());
  now = seconds(60);
  master.restart(at());
  EXPECT_EQ(run(0, cb::try_acquire(before, lock, minute)), ended);
  EXPECT_EQ(run(1, cb::try_acquire(during, lock, minute)), yes) << "while there was no master it did not end";
}

TEST_F(ChubbyMaster, TheFirstKeepAliveAfterAFailOverIsAnsweredAtOnce) {
  const auto session = holder(0);
  (void)master.stop(true, at());
  now = milliseconds(30'000);
  master.restart(at());
  now = milliseconds(31'000);
  EXPECT_EQ(run(0, cb::keep_alive(session)), extended(0));
  EXPECT_EQ(run(0, cb::keep_alive(session)), std::nullopt);
}

}  // namespace
}  // namespace lockproof::sim::chubby::chubby_master_test
