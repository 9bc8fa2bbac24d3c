// SPDX-License-Identifier: Apache-2.0
#include "harness/program/event_name.hpp"

#include <gtest/gtest.h>

namespace lockproof::harness::event_name_test {
namespace {

Command statement(const char* text) { return Command({"SQL", text, "1", "lock"}); }

TEST(EventName, IsTheVerbInCapitalsAndOfAScriptItsDigest) {
  EXPECT_EQ(event_verb(Command({"set", "k", "v"})), "SET");
  EXPECT_EQ(event_verb(Command({"EVALSHA", "0123456789", "0"})), "EVALSHA:0123");
  EXPECT_EQ(event_verb(Command({"eval", "return 1", "0"})), "EVAL:e0e1");
}

TEST(EventName, OfAStatementIsItsLockingFunctionOrItsFirstWord) {
  EXPECT_EQ(event_verb(statement("select pg_try_advisory_lock(hashtext($1))")), "PG_TRY_ADVISORY_LOCK");
  EXPECT_EQ(event_verb(statement("SELECT Pg_Advisory_Unlock(7) as done")), "PG_ADVISORY_UNLOCK");
  EXPECT_EQ(event_verb(statement("/* mine */ -- too\n (update jobs set x = 1)")), "UPDATE");
  EXPECT_EQ(event_verb(statement("commit;")), "COMMIT");
  EXPECT_EQ(event_verb(statement("")), "SQL");
  EXPECT_EQ(event_verb(statement("/* not closed")), "SQL");
}

TEST(EventName, AStatementIsRecordedOnOneLineWithItsParameters) {
  EXPECT_EQ(recorded(statement("update jobs\n  set x = $1 ")), Command({"UPDATE", "jobs set x = $1", "lock"}));
  EXPECT_EQ(recorded(statement("commit")), Command({"COMMIT", "lock"}));
  EXPECT_EQ(recorded(statement("select pg_advisory_lock(7)")),
            Command({"PG_ADVISORY_LOCK", "select pg_advisory_lock(7)", "lock"}));
}

}  // namespace
}  // namespace lockproof::harness::event_name_test
