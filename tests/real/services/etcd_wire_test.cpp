// SPDX-License-Identifier: Apache-2.0
// etcd's gateway in bytes that a server of version 3.4.23 has sent, whole, cut off and wrong; and what is derived from
// them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "algorithms/etcd/requests.hpp"
#include "harness/history/event.hpp"
#include "real/services/etcd/http.hpp"
#include "real/services/etcd/lock_keys.hpp"
#include "real/services/etcd/wire.hpp"

namespace lockproof::real::etcd_wire_test {
namespace {

const std::string head =
    "HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Type: application/json\r\n"
    "Grpc-Metadata-Content-Type: application/grpc\r\nDate: Tue, 24 Nov 2026 22:58:11 GMT\r\n";
const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";

std::string header(int revision) {
  return R"("header":{"cluster_id":"10144879847569953045","member_id":"12428976124636271536","revision":")" +
         std::to_string(revision) + R"(","raft_term":"2"})";
}
std::string whole(const std::string& body) {
  return head + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
std::string chunk(const std::string& data) {
  constexpr const char* digits = "0123456789abcdef";
  const std::string size{digits[data.size() / 256 % 16], digits[data.size() / 16 % 16], digits[data.size() % 16]};
  return size + "\r\n" + data + "\r\n";
}
const std::string kept = chunked +
                         chunk("{\"result\":{" + header(3) +
                               R"(,"ID":"1418812071284303622","TTL":"2"}})"
                               "\n") +
                         "0\r\n\r\n";
const std::string watching = chunked + chunk("{\"result\":{" + header(3) + ",\"created\":true}}\n");
const std::string told = chunk("{\"result\":{" + header(3) +
                               R"(,"events":[{"type":"DELETE","kv":{"key":"bG9jay9h","mod_revision":"3"}}]}})"
                               "\n");
const std::string refused =
    "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nTrailer: Grpc-Trailer-Content-Type\r\n"
    "Transfer-Encoding: chunked\r\n\r\n" +
    chunk(R"({"error":"etcdserver: requested lease not found","code":5})") +
    "0\r\nGrpc-Trailer-Content-Type: application/grpc\r\n\r\n";

template <class R>
Reply read(const Call<R>& call, const std::string& bytes) {
  return EtcdCodec().reply(call.command, bytes);
}
Reply list(std::vector<Reply> items) { return Reply::array(std::move(items)); }
Reply n(std::int64_t number) { return Reply::integer(number); }

TEST(EtcdWire, EachMessageEndsWhereItEnds) {
  const EtcdCodec codec;
  for (const std::string& message : {whole("{}"), kept, watching, told, refused}) {
    EXPECT_EQ(codec.size(message + "HTTP/1.1"), message.size()) << message;
    for (std::size_t cut = 0; cut < message.size(); ++cut) EXPECT_EQ(codec.size(message.substr(0, cut)), 0u) << cut;
  }
}

TEST(EtcdWire, NothingIsReadOfWhatIsWrong) {
  const EtcdCodec codec;
  for (const std::string& wrong :
       {head + "Content-Length: -1\r\n\r\n{}", head + "Content-Length: 99999999999999999999\r\n\r\n{}",
        std::string("ffffffffffffffffff\r\n{}\r\n"), std::string("fffffff\r\n{}\r\n"),
        std::string("5 \r\nhello\r\n")}) {
    EXPECT_EQ(codec.size(wrong), 0u) << wrong;
  }
  for (const std::string& body :
       {std::string("no json"), std::string("[1]"), std::string(), std::string("{\"kvs\":7}")}) {
    EXPECT_EQ(revision_in(whole(body)), 0) << body;
    EXPECT_TRUE(changes_in(whole(body)).empty()) << body;
    (void)codec.request(whole(body));
  }
  EXPECT_TRUE(read(etcd::put_if_absent("a", 1, "a"), whole("{}")).is_error());
  EXPECT_TRUE(read(etcd::get("a"), whole("no json")).is_error());
}

TEST(EtcdWire, RequestsAreReadAsTheyWereWritten) {
  const EtcdCodec codec;
  const auto heard = [&](const Command& command) { return codec.request(codec.encode(command)); };
  EXPECT_EQ(heard(etcd::grant(seconds(7)).command), Command({"LEASE-GRANT", "7"}));
  EXPECT_EQ(heard(etcd::keep_alive(5).command), Command({"LEASE-KEEPALIVE", "5"}));
  EXPECT_EQ(heard(etcd::revoke(5).command), Command({"LEASE-REVOKE", "5"}));
  EXPECT_EQ(heard(etcd::get("lock/a").command), Command({"GET", "lock/a"}));
  EXPECT_EQ(heard(etcd::last_before("lock/", 5).command), Command({"LAST-BEFORE", "lock/"}));
  EXPECT_EQ(heard(etcd::put_if_absent("lock/a", 5, "lock/").command), Command({"PUT-IF-ABSENT", "lock/a"}));
  EXPECT_EQ(heard(etcd::remove("lock/a").command), Command({"DELETE", "lock/a"}));
  EXPECT_EQ(heard(etcd::remove_if_created("lock/a", 5).command), Command({"DELETE-IF", "lock/a"}));
  EXPECT_EQ(heard(etcd::watch("lock/a", 5).command), Command({"WATCH", "lock/a"}));
  EXPECT_TRUE(codec.encode(Command({"SET", "a"})).empty());
}

TEST(EtcdWire, AKeyOfAnyBytesIsWrittenInBase64) {
  const EtcdCodec codec;
  for (const std::string& name :
       {std::string("\0\xff\x80", 3), std::string("a"), std::string("ab"), std::string("abcd")}) {
    EXPECT_EQ(codec.request(codec.encode(etcd::get(Name(name)).command)).args().at(1).bytes(), name);
  }
}

TEST(EtcdWire, AnAnswerHasTheKindOfItsVerb) {
  EXPECT_EQ(read(etcd::grant(seconds(1)), whole("{" + header(1) + R"(,"ID":"7","TTL":"2"})")), list({n(7), n(2)}));
  EXPECT_EQ(read(etcd::keep_alive(7), kept), n(2));
  EXPECT_EQ(read(etcd::revoke(7), whole("{" + header(1) + "}")), n(1));
  EXPECT_EQ(read(etcd::get("lock/a"), whole("{" + header(3) + "}")), Reply::nil());
  const std::string key = R"({"key":"bG9jay9h","create_revision":"2","mod_revision":"2","version":"1"})";
  EXPECT_EQ(read(etcd::get("lock/a"), whole("{" + header(3) + ",\"kvs\":[" + key + "],\"count\":\"1\"}")),
            list({Reply::bulk("lock/a"), n(2), n(3)}));
  const std::string range = R"({"response_range":{"kvs":[)" + key + "]}}";
  EXPECT_EQ(read(etcd::put_if_absent("lock/b", 7, "lock/"),
                 whole("{" + header(3) + ",\"succeeded\":true,\"responses\":[{\"response_put\":{}}," + range + "]}")),
            list({n(1), n(3), n(2), n(3)}));
  EXPECT_EQ(read(etcd::put_if_absent("lock/a", 7, "lock/"),
                 whole("{" + header(3) + ",\"responses\":[" + range + "," + range + "]}")),
            list({n(0), n(2), n(2), n(3)}));
  EXPECT_EQ(read(etcd::remove("lock/a"), whole("{" + header(3) + R"(,"deleted":"1"})")), n(1));
  EXPECT_EQ(read(etcd::remove("lock/a"), whole("{" + header(3) + "}")), n(0));
  EXPECT_EQ(read(etcd::remove_if_created("lock/a", 2), whole("{" + header(3) + ",\"succeeded\":true}")), n(1));
  EXPECT_EQ(read(etcd::watch("lock/a", 2), watching), n(1));
}

TEST(EtcdWire, WhatIsLeftOutIsZeroAndNoError) {
  EXPECT_EQ(read(etcd::keep_alive(7), chunked + chunk("{\"result\":{" + header(3) + ",\"ID\":\"7\"}}\n") + "0\r\n\r\n"),
            n(0));
}

TEST(EtcdWire, ALeaseThatThereIsNotIsRefused) { EXPECT_EQ(read(etcd::revoke(7), refused), Reply::error("NOLEASE")); }

TEST(EtcdWire, WhatAWatchTellsAnswersNothing) {
  const EtcdCodec codec;
  EXPECT_TRUE(codec.is_news(told));
  for (const std::string& answer : {watching, kept, refused, whole("{}")}) EXPECT_FALSE(codec.is_news(answer));
  EXPECT_EQ(changes_in(told), (std::vector<KeyChange>{{"lock/a", true, 3, 0}}));
}

/// Two clients, at the ports 11 and 12, whose leases are 1 and 2.
class EtcdLockKeys : public testing::Test {
 protected:
  EtcdLockKeys() {
    answers.push_back({.port = 11, .verb = "LEASE-GRANT", .revision = 1, .lease = 1});
    answers.push_back({.port = 12, .verb = "LEASE-GRANT", .revision = 1, .lease = 2});
  }
  void put(int port, const char* key, std::int64_t revision, std::int64_t lease, bool answered = true) {
    if (answered) answers.push_back({.port = port, .verb = "PUT-IF-ABSENT", .revision = revision, .changes = true});
    changes.push_back({{}, {key, false, revision, lease}});
  }
  void gone(const char* key, std::int64_t revision) { changes.push_back({{}, {key, true, revision, 0}}); }
  /// Without those that only looked: "11: first", "lease-end of 11: deleted lock/1, expired".
  [[nodiscard]] std::vector<std::string> read() const {
    std::vector<std::string> all;
    for (const Execution& one : executions_of(answers, changes, "lock")) {
      const auto effects = one.effects_of ? one.effects_of(Command({})) : one.effects;
      std::string text = (one.act.empty() ? "" : one.act + " of ") + std::to_string(one.port) + ":";
      for (const harness::Effect& effect : effects) text += " " + effect.event;
      if (!effects.empty() || !one.act.empty()) all.push_back(text);
    }
    return all;
  }

  std::vector<EtcdAnswer> answers;
  std::vector<SeenChange> changes;
};
using Lines = std::vector<std::string>;

TEST_F(EtcdLockKeys, TheKeyThatWasCreatedFirstHasTheLock) {
  put(11, "lock/1", 2, 1);
  put(12, "lock/2", 3, 2);
  answers.push_back({.port = 11, .verb = "DELETE", .revision = 4, .changes = true});
  gone("lock/1", 4);
  EXPECT_EQ(read(), (Lines{"11: first", "11: left", "turn of 12: first"}));
}

TEST_F(EtcdLockKeys, TheEndOfALeaseForWhichNobodyAskedIsTheServers) {
  put(11, "lock/1", 2, 1);
  put(12, "lock/2", 3, 2);
  gone("lock/1", 4);
  EXPECT_EQ(read(), (Lines{"11: first", "lease-end of 11: deleted expired", "turn of 12: first"}));
}

TEST_F(EtcdLockKeys, AChangeWhoseAnswerWasNotSeenIsOfItsLeasesClient) {
  put(12, "lock/2", 2, 2, false);
  EXPECT_EQ(read(), (Lines{"12: first"}));
}

TEST_F(EtcdLockKeys, KeysElsewhereAreNoneOfTheLock) {
  put(11, "lock2", 2, 1);
  put(11, "locker/1", 3, 1);
  EXPECT_TRUE(read().empty());
}

TEST_F(EtcdLockKeys, ACommandThatOnlyLookedStandsBehindTheChangeThatItSaw) {
  answers.push_back({.port = 12, .verb = "GET", .revision = 1});
  put(11, "lock/1", 2, 1);
  answers.push_back({.port = 12, .verb = "GET", .revision = 2});
  std::vector<int> ports;
  for (const Execution& one : executions_of(answers, changes, "lock")) ports.push_back(one.port);
  EXPECT_EQ(ports, (std::vector<int>{11, 12, 12, 11, 12}));
}

}  // namespace
}  // namespace lockproof::real::etcd_wire_test
