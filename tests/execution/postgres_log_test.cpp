// SPDX-License-Identifier: Apache-2.0
// The log of a PostgreSQL server: which statements are about advisory locks, and who held one when.
#include "execution/judge/postgres_log.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "execution/judge/judge.hpp"

namespace lockproof::execution {
namespace {

using Kind = AdvisoryCall::Kind;

TEST(AdvisoryCall, IsFoundInAStatement) {
  const auto key = [](std::string_view sql, std::string_view parameters = "") {
    return advisory_call_in(sql, parameters).key;
  };
  EXPECT_EQ(key("SELECT pg_advisory_lock(42)"), "42");
  EXPECT_EQ(key("select pg_try_advisory_lock($1)", "$1 = '42'"), "42");
  EXPECT_EQ(key("SELECT pg_advisory_lock( 1 , -7 );"), "1,-7");
  EXPECT_EQ(key("select pg_try_advisory_lock(hashtextextended($1, 0))", "$1 = 'a, (b', $2 = NULL"),
            "hashtextextended('a, (b',0)");
  EXPECT_EQ(key("select pg_advisory_unlock(hashtext('Orders')::bigint)"), "hashtext('Orders')");
  EXPECT_EQ(advisory_call_in("begin", "").kind, Kind::none);
  EXPECT_EQ(advisory_call_in("select * from pg_locks where locktype = 'advisory'", "").kind, Kind::none);
  EXPECT_TRUE(advisory_call_in("select pg_advisory_xact_lock(1)", "").of_transaction);
}

TEST(AdvisoryCall, IsUnclearWhereItsKeyOrItsKindIsNotKnown) {
  for (const char* const sql :
       {"select pg_try_advisory_lock(id) from jobs", "select pg_advisory_lock($1)", "select pg_advisory_lock_shared(1)",
        "select pg_advisory_lock(1), pg_advisory_lock(2)", "select pg_advisory_lock(1"}) {
    EXPECT_EQ(advisory_call_in(sql, "").kind, Kind::unclear) << sql;
  }
}

/// "00.100 7 LOG:  statement: …" becomes a line of the log.
LogText server_log(const std::vector<std::string>& lines) {
  LogText log{"postgresql.log", ""};
  for (const std::string& line : lines) {
    const auto blank = line.find(' '), next = line.find(' ', blank + 1);
    log.text += fmt::format("2026-01-01 10:00:{} UTC [{}] app@shop {}\n", line.substr(0, blank),
                            line.substr(blank + 1, next - blank - 1), line.substr(next + 1));
  }
  return log;
}

const std::string lock = "LOG:  statement: SELECT pg_advisory_lock(42)",
                  unlock = "LOG:  statement: SELECT pg_advisory_unlock(42)";

/// "from-until session", of each time that somebody had it.
std::vector<std::string> holders(const std::vector<std::string>& lines) {
  std::vector<std::string> found;
  std::vector<std::string_view> texts;
  const LogText log = server_log(lines);
  for (std::string_view rest = log.text; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
    texts.push_back(rest.substr(0, rest.find('\n')));
  }
  const ReplayedLog replayed = replay_postgres(postgres_lines_in(texts).value());
  if (!replayed.lacks.empty()) return {replayed.lacks};
  for (const ServerExecution& one : replayed.executions) {
    for (const harness::Effect& effect : one.effects) {
      found.push_back(fmt::format("{} {} at {}", replayed.connections[static_cast<std::size_t>(one.connection)],
                                  harness::name(effect.change), one.at_us % 60'000'000 / 1000));
    }
    if (!one.lacks.empty()) found.push_back("lacks");
  }
  return found;
}

using Told = std::vector<std::string>;

TEST(PostgresLog, FollowsWhoHasTheLock) {
  EXPECT_EQ(holders({"01.000 7 " + lock, "02.000 8 " + lock, "03.000 7 " + unlock, "04.000 8 " + unlock}),
            (Told{"7 acquired at 1000", "7 released at 3000", "8 acquired at 3000", "8 released at 4000"}));
  EXPECT_EQ(holders({"01.000 7 " + lock, "01.500 7 " + lock, "02.000 7 " + unlock, "03.000 7 " + unlock}),
            (Told{"7 acquired at 1000", "7 changed at 1500", "7 released at 3000"}));
  EXPECT_EQ(holders({"01.000 7 " + lock, "02.000 7 LOG:  disconnection: session time: 0:00:02", "03.000 8 " + lock}),
            (Told{"7 acquired at 1000", "7 evicted at 2000", "8 acquired at 3000"}));
  EXPECT_EQ(holders({"01.000 7 " + lock, "02.000 8 " + lock, "03.000 8 ERROR:  canceling statement due to lock timeout",
                     "04.000 7 " + unlock}),
            (Told{"7 acquired at 1000", "7 released at 4000"}));
}

TEST(PostgresLog, EndsTransactionsWithTheirLocks) {
  const std::string own = "LOG:  execute <unnamed>: select pg_try_advisory_xact_lock(42)";
  EXPECT_EQ(holders({"01.000 7 LOG:  statement: BEGIN", "02.000 7 " + own, "03.000 7 LOG:  statement: COMMIT"}),
            (Told{"7 acquired at 2000", "7 released at 3000"}));
  EXPECT_EQ(holders({"02.000 7 " + own}), (Told{"7 acquired at 2000", "7 released at 2000"}));
  EXPECT_EQ(holders({"01.000 7 LOG:  statement: BEGIN", "02.000 7 " + own,
                     "03.000 7 LOG:  statement: ROLLBACK TO SAVEPOINT a", "04.000 7 LOG:  statement: ROLLBACK"}),
            (Told{"7 acquired at 2000", "7 released at 4000"}));
}

TEST(PostgresLog, TellsWhatContradictsTheRest) {
  EXPECT_EQ(holders({"01.000 7 " + unlock}), Told{"lacks"});  // it took it before the log begins
  EXPECT_EQ(holders({"01.000 7 " + unlock, "01.001 7 WARNING:  you don't own a lock of type ExclusiveLock"}), Told{});
  EXPECT_EQ(holders({"01.000 7 " + lock, "02.000 8 " + lock, "03.000 8 LOG:  statement: select 1"}).size(), 1U);
  EXPECT_EQ(holders({"01.000 7 LOG:  duration: 3 ms  statement: SELECT pg_advisory_lock(42)"}).size(), 1U);
}

/// The session of the first worker is ended, which does not notice; the second one gets the lock.
harness::Certainty postgres_overlap_of(const std::vector<std::string>& server) {
  const LogText first{"first.log", "2026-01-01T10:00:01.010Z got the lock\n2026-01-01T10:00:09.000Z done\n"};
  const LogText second{"second.log", "2026-01-01T10:00:03.010Z got the lock\n2026-01-01T10:00:05.000Z done\n"};
  return judge_logs(
             {.files = {server_log(server), first, second}, .patterns = {}, .key = "", .clocks = milliseconds(500)})
      .report.properties.at(0)
      .violated;
}

TEST(PostgresLog, IsJudgedWithItsWorkers) {
  const std::string ended = "FATAL:  terminating connection due to administrator command",
                    other = "LOG:  statement: select 1";
  EXPECT_EQ(postgres_overlap_of({"00.500 9 " + other, "01.000 7 " + lock, "02.000 7 " + ended, "03.000 8 " + lock,
                                 "05.010 8 " + unlock, "11.000 9 " + other}),
            harness::Certainty::certain);
  EXPECT_NE(postgres_overlap_of({"00.500 9 " + other, "01.000 7 " + lock, "02.000 7 " + ended, "03.000 8 " + lock,
                                 "05.010 8 " + unlock, "06.000 6 " + unlock, "11.000 9 " + other}),
            harness::Certainty::certain);  // somebody else had it
}

}  // namespace
}  // namespace lockproof::execution
