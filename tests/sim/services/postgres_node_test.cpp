// SPDX-License-Identifier: Apache-2.0
// Each test pins a sentence of docs/services/postgres.md, "The server".
#include <gtest/gtest.h>

#include "algorithms/postgres/requests.hpp"
#include "harness/scenario/scenario.hpp"
#include "sim/services/postgres/node.hpp"

namespace lockproof::sim::postgres::postgres_node_test {
namespace {

namespace sql = lockproof::postgres;

const Reply yes = Reply::array({Reply::bulk("t")}), no = Reply::array({Reply::bulk("f")});
Reply number(const char* digits) { return Reply::array({Reply::bulk(digits)}); }
const Reply no_row = Reply::nil();

class PostgresNode : public testing::Test {
 protected:
  [[nodiscard]] ServerTime at() const { return {(harness::epoch + now).count() / 1'000, now.count(), now}; }
  Reply run(int connection, const Command& command) {
    NodeAnswer executed = node.execute({connection, command, at()});
    effects = executed.effects;
    waits = executed.waits;
    propagated = executed.propagated;
    return executed.reply;
  }
  template <class R>
  Reply run(int connection, const Call<R>& call) {
    return run(connection, call.command);
  }
  [[nodiscard]] std::string effect_names() const {
    std::string all;
    for (const auto& e : effects) all += (all.empty() ? "" : " ") + e.event;
    return all;
  }
  [[nodiscard]] std::string encoding(const std::map<int, int>& connections) const {
    StateEncoder into;
    node.encode(into, connections, at(), 2);
    return into.take();
  }
  [[nodiscard]] std::string residual(bool with_leased) const {
    StateEncoder into;
    node.residual(into, at(), with_leased);
    return into.take();
  }

  Duration now{};
  Node node;
  std::vector<harness::Effect> effects;
  std::vector<Command> propagated;
  bool waits = false;
};

const Name lock("lock");
const milliseconds ten(10);

TEST_F(PostgresNode, AnAdvisoryLockIsOneSessions) {
  EXPECT_EQ(run(1, sql::try_advisory(lock)), yes);
  EXPECT_EQ(effect_names(), "locked");
  EXPECT_EQ(run(2, sql::try_advisory(lock)), no);
  EXPECT_EQ(run(2, sql::try_advisory("other")), yes);
}

TEST_F(PostgresNode, ASessionsLockIsCounted) {
  EXPECT_EQ(run(1, sql::try_advisory(lock)), yes);
  EXPECT_EQ(run(1, sql::try_advisory(lock)), yes);
  EXPECT_EQ(run(1, sql::unlock_advisory(lock)), yes);
  EXPECT_EQ(run(2, sql::try_advisory(lock)), no);
  EXPECT_EQ(run(1, sql::unlock_advisory(lock)), yes);
  EXPECT_EQ(effect_names(), "unlocked");
  EXPECT_EQ(run(2, sql::try_advisory(lock)), yes);
}

TEST_F(PostgresNode, OnlyTheSessionThatHasItUnlocksIt) {
  EXPECT_EQ(run(1, sql::try_advisory(lock)), yes);
  EXPECT_EQ(run(2, sql::unlock_advisory(lock)), no);
  EXPECT_EQ(run(3, sql::try_advisory(lock)), no);
}

TEST_F(PostgresNode, ATransactionsLockEndsWithIt) {
  (void)run(1, sql::begin());
  EXPECT_EQ(run(1, sql::try_advisory_xact(lock)), yes);
  EXPECT_EQ(run(1, sql::unlock_advisory(lock)), no);
  EXPECT_EQ(run(2, sql::try_advisory(lock)), no);
  EXPECT_EQ(run(1, sql::commit()), Reply::status("COMMIT"));
  EXPECT_EQ(effect_names(), "unlocked");
  EXPECT_EQ(run(2, sql::try_advisory(lock)), yes);
}

TEST_F(PostgresNode, WithoutATransactionItsLockEndsWithTheStatement) {
  EXPECT_EQ(run(1, sql::try_advisory_xact(lock)), yes);
  EXPECT_EQ(effect_names(), "");
  EXPECT_EQ(run(2, sql::try_advisory(lock)), yes);
}

TEST_F(PostgresNode, HoldsAsksForThisConnection) {
  (void)run(1, sql::try_advisory(lock));
  EXPECT_EQ(run(1, sql::holds_advisory(lock)), yes);
  EXPECT_EQ(run(2, sql::holds_advisory(lock)), no);
}

TEST_F(PostgresNode, TheEndOfAConnectionFreesWhatItHas) {
  (void)run(1, sql::try_advisory(lock));
  (void)run(1, sql::begin());
  (void)run(1, sql::try_advisory_xact("other"));
  const auto freed = node.connection_ended(1, at());
  ASSERT_EQ(freed.size(), 2u);
  EXPECT_EQ(freed[0].change, harness::Change::evicted);
  EXPECT_EQ(run(2, sql::try_advisory(lock)), yes);
  EXPECT_EQ(run(2, sql::try_advisory("other")), yes);
}

TEST_F(PostgresNode, AnEndThatItHasNotReadFreesNothing) {
  (void)run(1, sql::try_advisory(lock));
  node.disconnected(1);
  EXPECT_TRUE(node.remembers(1));
  EXPECT_EQ(run(2, sql::try_advisory(lock)), no);
  EXPECT_NE(residual(false), "");
}

TEST_F(PostgresNode, ARowIsFreeWhenItsTimeIsOver) {
  EXPECT_EQ(run(1, sql::take_row(lock, "one", ten)), number("1"));
  EXPECT_EQ(effect_names(), "taken until");
  now += milliseconds(10);
  EXPECT_EQ(run(2, sql::take_row(lock, "two", ten)), no_row);
  now += milliseconds(1);
  EXPECT_EQ(run(2, sql::take_row(lock, "two", ten)), number("2"));
  EXPECT_EQ(effect_names(), "expired taken until");
}

TEST_F(PostgresNode, ARowIsGivenBackByItsOwnerOnly) {
  (void)run(1, sql::take_row(lock, "one", ten));
  EXPECT_EQ(run(2, sql::give_row(lock, "two")), no_row);
  EXPECT_EQ(run(2, sql::give_row(lock, "one")), number("1"));
  EXPECT_EQ(effect_names(), "given");
  EXPECT_EQ(run(2, sql::take_row(lock, "two", ten)), number("2"));
}

TEST_F(PostgresNode, ByTheClientsTimeItIsFreeAtTheVeryInstant) {
  EXPECT_EQ(run(1, sql::take_row_client_time(lock, "one", "1000", "2000")), number("1"));
  EXPECT_EQ(run(2, sql::take_row_client_time(lock, "two", "1999", "3000")), no_row);
  EXPECT_EQ(run(2, sql::take_row_client_time(lock, "two", "2000", "3000")), number("2"));
  EXPECT_EQ(run(1, sql::give_row_client_time(lock, "2500")), number("2"));
  EXPECT_EQ(run(1, sql::take_row_client_time(lock, "one", "2500", "3500")), number("3"));
}

TEST_F(PostgresNode, ByTheClientsTimeItIsGivenBackAtTheInstantThatItHas) {
  const std::string until = std::to_string(at().wall_ms + 5);
  (void)run(1, sql::take_row_client_time(lock, "one", "1000", Value(until)));
  now += milliseconds(4);
  (void)run(1, sql::give_row_client_time(lock, Value(until)));
  EXPECT_EQ(effect_names(), "given");
  now += milliseconds(2);
  (void)run(1, sql::give_row_client_time(lock, Value(until)));
  EXPECT_EQ(effect_names(), "expired");
}

TEST_F(PostgresNode, WhatIsNotCommittedIsSeenByNobodyElse) {
  (void)run(1, sql::begin());
  EXPECT_EQ(run(1, sql::next_fence(lock)), number("1"));
  EXPECT_EQ(run(1, sql::next_fence(lock)), number("2"));
  EXPECT_EQ(run(1, sql::rollback()), Reply::status("ROLLBACK"));
  EXPECT_EQ(run(2, sql::next_fence(lock)), number("1"));
}

TEST_F(PostgresNode, ARowThatAnotherHasChangedIsWaitedForAndLookedAtAgain) {
  (void)run(1, sql::take_row(lock, "one", ten));
  now += milliseconds(11);
  (void)run(1, sql::begin());
  EXPECT_EQ(run(1, sql::take_row(lock, "one", ten)), number("2"));
  (void)run(2, sql::take_row(lock, "two", ten));
  EXPECT_TRUE(waits);
  EXPECT_FALSE(node.due(HostClocks(harness::ClockSpec{})));
  (void)run(1, sql::commit());
  ASSERT_TRUE(node.due(HostClocks(harness::ClockSpec{})));
  const auto answers = node.on_timer(at());
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].connection, 2);
  EXPECT_EQ(answers[0].reply, no_row) << "what was committed is not over";
}

TEST_F(PostgresNode, WhoWaitedForWhatIsRolledBackTakesTheOldRow) {
  (void)run(1, sql::begin());
  (void)run(1, sql::take_row(lock, "one", ten));
  (void)run(2, sql::take_row(lock, "two", ten));
  EXPECT_TRUE(waits);
  (void)node.connection_ended(1, at());
  const auto answers = node.on_timer(at());
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].reply, number("1"));
}

TEST_F(PostgresNode, ANewRowsTimeIsCountedFromBeforeItsStatementWaited) {
  (void)run(1, sql::begin());
  (void)run(1, sql::take_row(lock, "one", ten));
  (void)run(2, sql::take_row(lock, "two", ten));
  now += milliseconds(11);
  (void)run(1, sql::rollback());
  EXPECT_EQ(node.on_timer(at()).size(), 1u);
  EXPECT_EQ(run(3, sql::take_row(lock, "three", ten)), number("2")) << "it was over at once";
}

TEST_F(PostgresNode, WhoeverDoesNotTakeARowInATransactionHasLockedIt) {
  (void)run(1, sql::take_row(lock, "one", ten));
  (void)run(2, sql::begin());
  EXPECT_EQ(run(2, sql::take_row(lock, "two", ten)), no_row);
  (void)run(3, sql::take_row(lock, "three", ten));
  EXPECT_TRUE(waits);
  (void)run(2, sql::commit());
  EXPECT_EQ(effect_names(), "");
  EXPECT_EQ(node.on_timer(at()).at(0).reply, no_row);
}

TEST_F(PostgresNode, AnUpdateThatMatchesNothingDoesNotWait) {
  (void)run(1, sql::take_row(lock, "one", ten));
  (void)run(1, sql::begin());
  (void)run(1, sql::give_row(lock, "one"));
  EXPECT_EQ(run(2, sql::give_row(lock, "two")), no_row);
  EXPECT_FALSE(waits);
}

TEST_F(PostgresNode, WhatItDoesNotKnowFailsTheTransaction) {
  (void)run(1, sql::begin());
  EXPECT_EQ(run(1, Command({"SQL", "select 1", "0"})), Reply::error("42883"));
  EXPECT_EQ(run(1, sql::try_advisory(lock)), Reply::error("25P02"));
  EXPECT_EQ(run(1, sql::commit()), Reply::status("ROLLBACK"));
  EXPECT_EQ(run(1, sql::try_advisory(lock)), yes);
}

TEST_F(PostgresNode, WhoeverEndsItKeepsWhatIsCommitted) {
  for (const bool without_warning : {false, true}) {
    (void)run(1, sql::take_row(lock, "one", ten));
    (void)run(2, sql::try_advisory(lock));
    EXPECT_EQ(node.stop(without_warning, at()).size(), 1u);
    EXPECT_EQ(run(2, sql::take_row(lock, "two", ten)), no_row);
    EXPECT_EQ(run(3, sql::try_advisory(lock)), yes);
  }
}

TEST_F(PostgresNode, AStandbyChangesNoRowsAndHasWhatItWasSent) {
  (void)run(1, sql::take_row(lock, "one", ten));
  (void)run(1, sql::next_fence(lock));
  const auto fence = propagated;
  Node standby;
  standby.set_replica(true);
  EXPECT_EQ(standby.execute({1, sql::next_fence(lock).command, at()}).reply, Reply::error("25006"));
  EXPECT_EQ(standby.execute({1, sql::try_advisory(lock).command, at()}).reply, yes);
  for (const Command& command : fence) (void)standby.run_propagated(command, at());
  standby.set_replica(false);
  EXPECT_EQ(standby.execute({1, sql::next_fence(lock).command, at()}).reply, number("2"));
  EXPECT_EQ(standby.execute({1, sql::take_row(lock, "two", ten).command, at()}).reply, number("1"))
      << "the row that was not sent";
}

TEST_F(PostgresNode, ACommitThatAsksForItWaitsForAStandby) {
  const HostClocks clocks{harness::ClockSpec{}};
  EXPECT_FALSE(node.follow(5));
  (void)run(1, sql::begin());
  EXPECT_EQ(run(1, sql::remote_apply()), Reply::status("SET"));
  EXPECT_EQ(run(1, sql::take_row(lock, "one", ten)), number("1"));
  (void)run(1, sql::commit());
  EXPECT_TRUE(waits);
  EXPECT_EQ(propagated.size(), 1u) << "it is sent before it is answered";
  (void)run(2, sql::take_row(lock, "two", ten));
  EXPECT_TRUE(waits);
  EXPECT_FALSE(node.due(clocks));
  node.acknowledged(5);
  ASSERT_TRUE(node.due(clocks));
  const auto answers = node.on_timer(at());
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].reply, Reply::status("COMMIT"));
  EXPECT_TRUE(answers[0].propagated.empty());
  EXPECT_EQ(answers[1].reply, no_row);
}

TEST_F(PostgresNode, WithoutAStandbyItIsNeverAnsweredAndOnItsOwnDisk) {
  (void)run(1, sql::begin());
  (void)run(1, sql::remote_apply());
  (void)run(1, sql::take_row(lock, "one", ten));
  (void)run(1, sql::commit());
  EXPECT_TRUE(waits);
  EXPECT_FALSE(node.due(HostClocks(harness::ClockSpec{})));
  (void)node.stop(true, at());
  EXPECT_EQ(run(2, sql::take_row(lock, "two", ten)), no_row);
}

TEST_F(PostgresNode, AStandbyThatComesLaterHasTheCommitThatWaits) {
  (void)run(1, sql::begin());
  (void)run(1, sql::remote_apply());
  (void)run(1, sql::next_fence(lock));
  (void)run(1, sql::commit());
  EXPECT_TRUE(node.follow(5));
  node.acknowledged(5);
  EXPECT_EQ(node.on_timer(at()).size(), 1u);
}

TEST_F(PostgresNode, AStatementIsKnownByItsText) {
  const Command known = sql::try_advisory(lock).command;
  EXPECT_EQ(run(1, Command(Script{"mine", ""}, known.args())), yes);
  EXPECT_EQ(run(2, Command({"SQL", known.args()[1], "1", lock})), no);
}

TEST_F(PostgresNode, AStateIsFreeOfAbsoluteTimeAndOfConnectionsNumbers) {
  (void)run(7, sql::try_advisory(lock));
  (void)run(7, sql::take_row(lock, "one", ten));
  const std::string before = encoding({{7, 0}});
  Node other;
  now += seconds(5);
  (void)other.execute({9, sql::try_advisory(lock).command, at()});
  (void)other.execute({9, sql::take_row(lock, "one", ten).command, at()});
  StateEncoder into;
  other.encode(into, {{9, 0}}, at(), 2);
  EXPECT_EQ(before, into.take());
  EXPECT_NE(before, encoding({{7, 0}})) << "the row is nearer to its end";
}

TEST_F(PostgresNode, AProbeFindsARowOnlyUntilItsTimeIsOver) {
  (void)run(1, sql::take_row(lock, "one", ten));
  EXPECT_EQ(residual(false), "");
  EXPECT_NE(residual(true), "");
  now += milliseconds(11);
  EXPECT_EQ(residual(true), "");
}

}  // namespace
}  // namespace lockproof::sim::postgres::postgres_node_test
