// SPDX-License-Identifier: Apache-2.0
// PostgreSQL's protocol at the proxy, and what is derived from statements and their replies.
#include <gtest/gtest.h>

#include "algorithms/postgres/requests.hpp"
#include "harness/history/event.hpp"
#include "real/services/postgres/lock_changes.hpp"
#include "real/services/postgres/wire.hpp"

namespace lockproof::real::postgres_wire_test {
namespace {

namespace sql = lockproof::postgres;

std::string number(std::size_t n, int bytes) {
  std::string all;
  for (int i = bytes - 1; i >= 0; --i) all += static_cast<char>(n >> (8 * i) & 0xff);
  return all;
}
std::string part(char type, const std::string& body) { return type + number(body.size() + 4, 4) + body; }
const std::string zero(1, '\0');

/// As libpq sends a statement.
std::string statement(const Command& command) {
  const auto& words = command.args();
  std::string bind = zero + zero + number(0, 2) + number(words.size() - 3, 2);
  for (std::size_t i = 3; i < words.size(); ++i) bind += number(words[i].bytes().size(), 4) + words[i].bytes();
  return part('P', zero + words[1].bytes() + zero + number(0, 2)) + part('B', bind + number(0, 2)) +
         part('D', "P" + zero) + part('E', zero + number(0, 4)) + part('S', "");
}
std::string row(const std::string& value) {
  return part('T', "…") + part('D', number(1, 2) + number(value.size(), 4) + value) + part('C', "SELECT 1" + zero);
}
const std::string ready = part('Z', "I");

TEST(PostgresWire, ARequestEndsWithASync) {
  const PostgresFraming framing;
  const std::string hello = number(8, 4) + number(196608, 4);
  const std::string asked = statement(sql::try_advisory("lock").command);
  for (const std::string& whole : {hello, part('p', "md5…" + zero), asked}) {
    EXPECT_EQ(framing.size(whole), whole.size());
    EXPECT_EQ(framing.size(whole + whole), whole.size());
    for (std::size_t cut = 0; cut < whole.size(); ++cut) EXPECT_EQ(framing.size(whole.substr(0, cut)), 0u) << cut;
  }
}

TEST(PostgresWire, AStatementIsKnownByItsText) {
  const PostgresFraming framing;
  const Command taken = sql::take_row("lock", "me", milliseconds(10)).command;
  const Command read = framing.request(statement(taken));
  EXPECT_EQ(read, taken);
  EXPECT_EQ(framing.name_of(read), "take-row");
  EXPECT_EQ(framing.request(statement(Command({"SQL", "select 1", "0"}))).verb(), "SQL");
  EXPECT_TRUE(framing.request(number(8, 4) + number(196608, 4)).args().empty());
  EXPECT_TRUE(framing.request(part('p', "md5…" + zero)).args().empty());
}

TEST(PostgresWire, AReplyIsTheFirstRowOrAStatusOrAnSqlstate) {
  EXPECT_EQ(reply_in(row("t") + ready), Reply::array({Reply::bulk("t")}));
  EXPECT_EQ(reply_in(part('T', "…") + part('C', "INSERT 0 0" + zero) + ready), Reply::nil());
  EXPECT_EQ(reply_in(part('C', "COMMIT" + zero) + ready), Reply::status("COMMIT"));
  EXPECT_EQ(reply_in(part('E', "SERROR" + zero + "C25P02" + zero + "Mno" + zero + zero) + ready),
            Reply::error("25P02"));
}

TEST(PostgresWire, BytesThatAreNoMessageNeverEnd) {
  const PostgresFraming framing;
  EXPECT_EQ(framing.size(std::string("\0\0\0\1x", 5)), 0u);
  EXPECT_EQ(framing.size("Q\0\0"), 0u);
}

std::string error(const std::string& severity) {
  return part('E', "S" + severity + zero + "V" + severity + zero + "C57P01" + zero + zero);
}

TEST(PostgresWire, AQueryIsARequestOfItsOwn) {
  const PostgresFraming framing;
  const std::string query = part('Q', "select pg_try_advisory_lock(7)" + zero);
  EXPECT_EQ(framing.size(query + query), query.size());
  EXPECT_EQ(framing.request(query), Command({"SQL", "select pg_try_advisory_lock(7)", "0"}));
}

TEST(PostgresWire, AStatementThatWasPreparedIsKnownByItsNameOnItsConnection) {
  const auto framing = PostgresFraming().for_connection();
  const auto another = PostgresFraming().for_connection();
  const std::string prepare = part('P', "s1" + zero + "select $1" + zero + number(0, 2)) + part('S', "");
  const std::string value = number(1, 2) + number(4, 4) + std::string("\0\0\1\0", 4);
  const std::string execute = part('B', zero + "s1" + zero + number(1, 2) + number(1, 2) + value + number(0, 2)) +
                              part('E', zero + number(0, 4)) + part('S', "");
  EXPECT_TRUE(framing->request(prepare).args().empty());  // it runs nothing
  EXPECT_EQ(framing->request(execute), Command({"SQL", "select $1", "1", "256"}));
  EXPECT_EQ(another->request(execute), Command({"SQL", "", "1", "256"}));
}

TEST(PostgresWire, WhatBelongsToTheConnectionIsAnsweredByWhateverComes) {
  const PostgresFraming framing;
  const std::string tls = number(8, 4) + number(80877103, 4);
  const std::string flushed = part('P', "s1" + zero + "select 1" + zero + number(0, 2)) + part('H', "");
  const Command of_connection = framing.request(tls);
  EXPECT_TRUE(of_connection.args().empty());
  EXPECT_EQ(framing.reply_size("N", &of_connection), 1u);
  EXPECT_EQ(framing.size(flushed + tls), flushed.size());
  EXPECT_TRUE(framing.request(flushed).args().empty());
  EXPECT_EQ(framing.reply_size(part('1', "") + part('n', ""), &of_connection), 10u);
}

TEST(PostgresWire, AReplyEndsWhenTheServerIsReadyOrEndsTheConnection) {
  const PostgresFraming framing;
  const Command asked({"SQL", "select 1", "0"});
  const std::string notice = part('A', number(7, 4) + "freed" + zero + zero);
  for (const std::string& whole : {part('1', "") + row("t") + ready, part('S', "a" + zero + "b" + zero) + ready,
                                   error("ERROR") + ready, error("FATAL")}) {
    EXPECT_EQ(framing.reply_size(whole + whole, &asked), whole.size());
    for (std::size_t cut = 0; cut < whole.size(); ++cut)
      EXPECT_EQ(framing.reply_size(whole.substr(0, cut), &asked), 0u);
  }
  EXPECT_EQ(framing.reply_size(notice + row("t") + ready, &asked), notice.size());
  EXPECT_EQ(framing.reply_size(notice, nullptr), notice.size());
  EXPECT_TRUE(framing.is_news(notice));
  EXPECT_FALSE(framing.is_news(row("t") + ready));
}

class LockChanges : public testing::Test {
 protected:
  template <class R>
  void see(int port, const Call<R>& call, const Reply& reply) {
    observed.push_back({.at = milliseconds(++time), .port = port, .command = call.command, .reply = reply});
    observed.back().wall_ms = wall_ms;
  }
  void end(int port) { observed.push_back({.at = milliseconds(++time), .port = port, .ended = true}); }
  /// "1 locked, 2 unlocked"
  std::string read() {
    std::string all;
    for (const ObservedChange& change : changes_of(std::exchange(observed, {}))) {
      for (const auto& e : change.effects) {
        all += (all.empty() ? "" : ", ") + std::to_string(change.observed.port) + " " + e.event;
      }
    }
    return all;
  }
  std::vector<Observation> observed;
  int time = 0;
  std::int64_t wall_ms = 1000;
  const Reply yes = Reply::array({Reply::bulk("t")}), no = Reply::array({Reply::bulk("f")});
  const Reply one = Reply::array({Reply::bulk("1")}), two = Reply::array({Reply::bulk("2")});
};

TEST_F(LockChanges, ASessionsLockIsCounted) {
  see(1, sql::try_advisory("lock"), yes);
  see(1, sql::try_advisory("lock"), yes);
  see(1, sql::unlock_advisory("lock"), yes);
  see(2, sql::try_advisory("lock"), no);
  see(1, sql::unlock_advisory("lock"), yes);
  EXPECT_EQ(read(), "1 locked, 1 unlocked");
}

TEST_F(LockChanges, WhatFreedALockComesBeforeWhoTookIt) {
  see(1, sql::try_advisory("lock"), yes);
  see(2, sql::try_advisory("lock"), yes);
  see(1, sql::unlock_advisory("lock"), yes);
  EXPECT_EQ(read(), "1 locked, 1 unlocked, 2 locked");
  see(1, sql::try_advisory("lock"), yes);
  see(2, sql::try_advisory("lock"), yes);
  end(1);
  EXPECT_EQ(read(), "1 locked, 1 freed, 2 locked");
}

TEST_F(LockChanges, ATransactionsLockEndsWithIt) {
  see(1, sql::begin(), Reply::status("BEGIN"));
  see(1, sql::try_advisory_xact("lock"), yes);
  see(1, sql::commit(), Reply::status("COMMIT"));
  see(2, sql::try_advisory_xact("lock"), yes);
  EXPECT_EQ(read(), "1 locked, 1 unlocked");
}

TEST_F(LockChanges, ARowIsTakenUntilItsTimeIsOver) {
  see(1, sql::take_row("lock", "me", milliseconds(10)), one);
  wall_ms += 11;
  see(2, sql::take_row("lock", "you", milliseconds(10)), two);
  see(2, sql::give_row("lock", "you"), two);
  see(1, sql::give_row("lock", "me"), Reply::nil());
  EXPECT_EQ(read(), "1 taken, 1 until, 2 expired, 2 taken, 2 until, 2 given");
}

TEST_F(LockChanges, WhatIsRolledBackDidNothing) {
  see(1, sql::begin(), Reply::status("BEGIN"));
  see(1, sql::take_row("lock", "me", milliseconds(10)), one);
  see(1, sql::commit(), Reply::status("ROLLBACK"));
  EXPECT_EQ(read(), "");
}

}  // namespace
}  // namespace lockproof::real::postgres_wire_test
