// SPDX-License-Identifier: Apache-2.0
// ZooKeeper's protocol and its transaction log in bytes that a server of version 3.8.0 has sent and written, whole, cut
// off and wrong; and what is derived from them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "algorithms/zookeeper/requests.hpp"
#include "harness/history/event.hpp"
#include "real/services/zookeeper/jute.hpp"
#include "real/services/zookeeper/queue_changes.hpp"
#include "real/services/zookeeper/transaction_log.hpp"
#include "real/services/zookeeper/wire.hpp"

namespace lockproof::real::zookeeper_wire_test {
namespace {

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}
std::string message(const std::string& body) { return JuteWriter().text(body).bytes(); }
std::string head(std::int32_t number, std::int64_t transaction, std::int32_t error) {
  return JuteWriter().number(number).long_number(transaction).number(error).bytes();
}

const std::string welcome =
    from_hex("0000002500000000000001f4010003df18b70000000000105b42a9af4c3428bf31582b4975db7e7900");
const std::string told =
    message(from_hex("ffffffffffffffffffffffff000000000000000200000003000000122f6c6f636b2f312d3030"
                     "3030303030303030"));
const std::string made = message(from_hex("0000000200000000000000030000000000000012") + "/lock/1-0000000000");

TEST(ZooKeeperWire, AHandshakeOpensASessionOrGoesOnWithOne) {
  EXPECT_EQ(handshake(milliseconds(500)), from_hex("0000002d000000000000000000000000000001f4000000000000000000000010"
                                                   "0000000000000000000000000000000000"));
  const auto answer = welcome_in(welcome);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->session.id, 0x10003df18b70000);
  EXPECT_EQ(answer->timeout, milliseconds(500));
  EXPECT_EQ(answer->session.password, from_hex("5b42a9af4c3428bf31582b4975db7e79"));
  const std::string again = handshake(milliseconds(500), answer->session);
  EXPECT_NE(again.find(answer->session.password), std::string::npos);
  const ZooKeeperFraming framing;
  EXPECT_EQ(framing.request(handshake(milliseconds(500))), Command({"CONNECT", "500"}));
  EXPECT_TRUE(framing.request(again).args().empty());
}

TEST(ZooKeeperWire, RequestsAreReadAsTheyWereWrittenButForTheirSession) {
  const ZooKeeperFraming framing;
  EXPECT_EQ(request_of(zookeeper::remove(7, "lock/a").command, 12),
            from_hex("000000170000000c00000002000000072f6c6f636b2f61ffffffff"));
  for (const Command& command :
       {zookeeper::create(7, "lock/a").command, zookeeper::create_numbered(7, "lock/a").command,
        zookeeper::remove(7, "lock/a").command, zookeeper::watch(7, "lock/a").command,
        zookeeper::children(7, "lock/a").command}) {
    const std::string bytes = request_of(command, 3);
    EXPECT_EQ(framing.size(bytes), bytes.size());
    EXPECT_EQ(framing.request(bytes), Command({command.args()[0], "lock/a"}));
  }
  EXPECT_EQ(framing.request(request_of(zookeeper::ping(7).command, 3)), Command({"PING"}));
  EXPECT_EQ(framing.request(request_of(zookeeper::close(7).command, 3)), Command({"CLOSE"}));
  EXPECT_EQ(request_of(Command({"SETDATA", "7", "lock"}), 3), "");
}

TEST(ZooKeeperWire, AReplyHasTheKindOfItsVerb) {
  EXPECT_EQ(reply_in("CREATE", made), Reply::bulk("lock/1-0000000000"));
  EXPECT_EQ(reply_in("CREATE", message(head(1, 5, -110))), Reply::nil());
  EXPECT_EQ(reply_in("CREATE", message(head(1, 5, -101))), Reply::error("NONODE"));
  EXPECT_EQ(reply_in("DELETE", message(head(1, 5, 0))), Reply::integer(1));
  EXPECT_EQ(reply_in("DELETE", message(head(1, 5, -101))), Reply::integer(0));
  EXPECT_EQ(reply_in("EXISTS", message(head(1, 5, 0) + std::string(68, 'x'))), Reply::integer(1));
  EXPECT_EQ(reply_in("EXISTS", message(head(1, 5, -101))), Reply::integer(0));
  EXPECT_EQ(reply_in("PING", message(head(-2, 5, 0))), Reply::integer(1));
  EXPECT_EQ(reply_in("PING", message(head(-2, 5, -112))), Reply::error("SESSIONEXPIRED"));
  EXPECT_EQ(reply_in("PING", message(head(-2, 5, -4711))), Reply::error("ERROR -4711"));
  const std::string names = JuteWriter().number(2).text("2-0000000001").text("1-0000000000").bytes();
  EXPECT_EQ(reply_in("CHILDREN", message(head(1, 5, 0) + names)),
            Reply::array({Reply::bulk("1-0000000000"), Reply::bulk("2-0000000001")}));
}

TEST(ZooKeeperWire, WhatAWatchTellsAnswersNothing) {
  const ZooKeeperFraming framing;
  EXPECT_EQ(told_in(told), "lock/1-0000000000");
  EXPECT_TRUE(framing.is_news(told));
  for (const std::string& answer : {welcome, made, message(head(-2, 5, 0))}) EXPECT_FALSE(framing.is_news(answer));
}

TEST(ZooKeeperWire, NothingIsReadOfWhatIsCutOffOrWrong) {
  const ZooKeeperFraming framing;
  for (const std::string& whole : {welcome, told, made}) {
    EXPECT_EQ(framing.size(whole + "more"), whole.size());
    for (std::size_t cut = 0; cut < whole.size(); ++cut) EXPECT_EQ(framing.size(whole.substr(0, cut)), 0u);
  }
  EXPECT_EQ(framing.size(from_hex("ffffffff00")), 0u);
  EXPECT_EQ(framing.size(from_hex("7fffffff00")), 0u);
  for (std::size_t cut = 4; cut < welcome.size() - 1; ++cut) EXPECT_FALSE(welcome_in(welcome.substr(0, cut))) << cut;
  for (std::size_t cut = 0; cut < made.size(); ++cut) EXPECT_TRUE(reply_in("CREATE", made.substr(0, cut)).is_error());
  for (std::size_t cut = 0; cut < told.size(); ++cut) EXPECT_FALSE(told_in(told.substr(0, cut))) << cut;
  const std::string many = head(1, 5, 0) + JuteWriter().number(2'000'000'000).bytes();
  EXPECT_TRUE(reply_in("CHILDREN", message(many)).is_error());
  EXPECT_TRUE(framing.request(message("")).args().empty());
  EXPECT_TRUE(framing.request(message(from_hex("00000001000000ff"))).args().empty());
}

/// As a server wrote them.
const std::string log_head = from_hex("5a4b4c47000000020000000000000000");
const std::string opening_of_a_session = from_hex(
    "00000000dded0b6100000030010003df18b70000000000000000000000000001000001a20b4d9ddefffffff6000001f400000002"
    "0000000051c6d66042");

std::string record(const JuteWriter& body) {
  std::uint32_t a = 1, b = 0;
  for (const char c : body.bytes()) a = (a + static_cast<unsigned char>(c)) % 65521, b = (b + a) % 65521;
  return JuteWriter().long_number(std::int64_t{b} << 16 | a).text(body.bytes()).bytes() + "B";
}
JuteWriter begun(std::int64_t session, std::int64_t id, std::int32_t code) {
  JuteWriter body;
  body.long_number(session).number(1).long_number(id).long_number(1000 + id).number(code);
  return body;
}
std::string creation(std::int64_t session, std::int64_t id, const std::string& path) {
  JuteWriter body = begun(session, id, 1);
  body.text(path).text("").number(1).number(31).text("world").text("anyone").truth(true).number(1);
  return record(body);
}

TEST(TransactionLog, HasChangesWithTheirSessions) {
  JuteWriter gone = begun(7, 3, 2);
  gone.text("/lock/a");
  const auto all = transactions_in(log_head + opening_of_a_session + creation(7, 2, "/lock/a") + record(gone) +
                                   record(begun(7, 4, -11)) + record(begun(7, 5, -1)) + std::string(100, '\0'));
  using Kind = Transaction::Kind;
  const std::vector<Transaction> expected{{Kind::opens, 1, 0x10003df18b70000, 0x1a20b4d9dde, "", false},
                                          {Kind::creates, 2, 7, 1002, "lock/a", true},
                                          {Kind::deletes, 3, 7, 1003, "lock/a", false},
                                          {Kind::ends, 4, 7, 1004, "", false},
                                          {Kind::other, 5, 7, 1005, "", false}};
  EXPECT_EQ(all, expected);
}

TEST(TransactionLog, EndsWhereARecordIsNotWhole) {
  const std::string first = log_head + creation(7, 2, "/lock/a"), whole = first + creation(7, 3, "/lock/b");
  EXPECT_EQ(transactions_in(whole).size(), 2u);
  for (std::size_t cut = first.size(); cut < whole.size(); ++cut) {
    EXPECT_EQ(transactions_in(whole.substr(0, cut)).size(), 1u) << cut;
  }
  for (std::size_t at = first.size(); at < whole.size(); ++at) {
    std::string wrong = whole;
    wrong[at] = static_cast<char>(wrong[at] ^ 1);
    EXPECT_EQ(transactions_in(wrong).size(), 1u) << at;
  }
  EXPECT_TRUE(transactions_in("").empty());
  EXPECT_TRUE(transactions_in("a file of another kind").empty());
  EXPECT_TRUE(transactions_of("/nonexistent").empty());
}

class QueueChanges : public testing::Test {
 protected:
  using Kind = Transaction::Kind;
  void answer(int port, const char* verb, std::int64_t session, std::int64_t transaction = 0) {
    answered.push_back({milliseconds(++time), port, verb, session, transaction});
  }
  void write(Kind kind, std::int64_t session, std::int64_t id, const char* node = "") {
    transactions.push_back({kind, id, session, 100 + id, node, kind == Kind::creates});
  }
  /// "1 CREATE first, 2 turn first": for the client of a port, what it did and its changes.
  std::string shown() {
    std::string all;
    for (const Execution& one :
         executions_of(answered, transactions, "lock", [](std::int64_t ms) -> Duration { return milliseconds(ms); })) {
      all += (all.empty() ? "" : ", ") + std::to_string(one.port) + (one.act.empty() ? "" : " " + one.act);
      const auto effects = one.effects_of ? one.effects_of(Command({})) : one.effects;
      for (const harness::Effect& effect : effects) all += " " + effect.event;
    }
    return all;
  }
  int time = 0;
  std::vector<ServerAnswer> answered;
  std::vector<Transaction> transactions;
};

TEST_F(QueueChanges, TheFirstNodeHasTheLock) {
  answer(1, "CONNECT", 11);
  answer(1, "CREATE", 11, 5);
  answer(2, "CONNECT", 22);
  answer(2, "CREATE", 22, 7);
  answer(2, "CHILDREN", 22, 7);
  answer(1, "DELETE", 11, 8);
  write(Kind::opens, 11, 4);
  write(Kind::creates, 11, 5, "lock/11-0000000000");
  write(Kind::opens, 22, 6);
  write(Kind::creates, 22, 7, "lock/22-0000000001");
  write(Kind::deletes, 11, 8, "lock/11-0000000000");
  EXPECT_EQ(shown(), "1, 1 first, 2, 2, 2, 1 left, 2 turn first");
}

TEST_F(QueueChanges, TheEndOfASessionForWhichNobodyAskedIsTheServers) {
  answer(1, "CONNECT", 11);
  answer(1, "CREATE", 11, 5);
  write(Kind::opens, 11, 4);
  write(Kind::creates, 11, 5, "lock/11-0000000000");
  write(Kind::ends, 11, 6);
  EXPECT_EQ(shown(), "1, 1 first, 1 session-end deleted expired");
  answer(1, "CLOSE", 11, 6);
  EXPECT_EQ(shown(), "1, 1 first, 1 left");
}

TEST_F(QueueChanges, ACommandThatWasSeenLateStandsWhereTheServerRanIt) {
  answer(2, "CONNECT", 22);
  answer(2, "CHILDREN", 22, 6);
  answer(1, "CONNECT", 11);
  answer(1, "CREATE", 11, 5);
  write(Kind::opens, 11, 3);
  write(Kind::opens, 22, 4);
  write(Kind::creates, 11, 5, "lock/11-0000000000");
  write(Kind::other, 99, 6);
  EXPECT_EQ(shown(), "1, 2, 1 first, 2");
}

TEST_F(QueueChanges, AChangeWhoseAnswerWasNotSeenCountsOnTheLastConnectionOfItsSession) {
  answer(1, "CONNECT", 11);
  answer(3, "", 11);
  write(Kind::opens, 11, 4);
  write(Kind::creates, 11, 5, "lock/11-0000000000");
  write(Kind::creates, 77, 6, "lock/77-0000000001");  // of nobody that is known
  EXPECT_EQ(shown(), "1, 3 first");
}

TEST_F(QueueChanges, NodesElsewhereAreNoneOfTheQueue) {
  answer(1, "CONNECT", 11);
  answer(1, "CREATE", 11, 5);
  write(Kind::creates, 11, 5, "lock-2/11-0000000000");
  EXPECT_EQ(shown(), "1, 1");
}

}  // namespace
}  // namespace lockproof::real::zookeeper_wire_test
