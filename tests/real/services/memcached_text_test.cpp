// SPDX-License-Identifier: Apache-2.0
// memcached's text protocol, and the lines of its log.
#include <gtest/gtest.h>

#include "real/services/memcached/command_effects.hpp"
#include "real/services/memcached/log_line.hpp"
#include "real/services/memcached/text_codec.hpp"

namespace lockproof::real::memcached_text_test {
namespace {

const Command add({"add", "lock", "two words", "30"});
const Command gets({"gets", "lock"});

TEST(MemcachedText, AValueFollowsItsCommand) {
  const TextCodec codec;
  EXPECT_EQ(codec.encode(add), "add lock 0 30 9\r\ntwo words\r\n");
  EXPECT_EQ(codec.encode(Command({"cas", "lock", "", "-1", "17"})), "cas lock 0 -1 0 17\r\n\r\n");
  EXPECT_EQ(codec.encode(gets), "gets lock\r\n");
}

TEST(MemcachedText, ARequestIsReadBack) {
  const TextCodec codec;
  for (const Command& command : {add, gets, Command({"cas", "lock", "", "-1", "17"}), Command({"delete", "lock"}),
                                 Command({"set", "k", "a\r\nb", "0"}), Command({"touch", "lock", "5"})}) {
    const std::string bytes = codec.encode(command);
    EXPECT_EQ(codec.size(bytes + "gets"), bytes.size());
    EXPECT_EQ(codec.request(bytes).args(), command.args());
    for (std::size_t part = 0; part < bytes.size(); ++part) EXPECT_EQ(codec.size(bytes.substr(0, part)), 0u) << part;
  }
}

TEST(MemcachedText, EveryReplyHasItsKind) {
  const TextCodec codec;
  const auto reply = [&](const std::string& bytes) {
    EXPECT_EQ(codec.size(bytes), bytes.size());
    return codec.reply(gets, bytes);
  };
  EXPECT_EQ(reply("STORED\r\n"), Reply::status("STORED"));
  EXPECT_EQ(reply("END\r\n"), Reply::nil());
  EXPECT_EQ(reply("VALUE lock 0 5 17\r\nalice\r\nEND\r\n"), Reply::array({Reply::bulk("alice"), Reply::integer(17)}));
  EXPECT_EQ(reply("VALUE lock 0 5 17\r\nE\r\nND\r\nEND\r\n"),
            Reply::array({Reply::bulk("E\r\nND"), Reply::integer(17)}));
  EXPECT_EQ(reply("8\r\n"), Reply::status("8"));
  EXPECT_EQ(reply("ERROR\r\n"), Reply::error("ERROR"));
  EXPECT_EQ(reply("SERVER_ERROR out of memory storing object\r\n"),
            Reply::error("SERVER_ERROR out of memory storing object"));
}

TEST(MemcachedText, WhatIsNotWholeIsWaitedFor) {
  const TextCodec codec;
  const std::string bytes = "VALUE lock 0 5 17\r\nalice\r\nEND\r\n";
  for (std::size_t part = 0; part < bytes.size(); ++part) EXPECT_EQ(codec.size(bytes.substr(0, part)), 0u) << part;
}

TEST(MemcachedText, NonsenseIsAnError) {
  const TextCodec codec;
  EXPECT_TRUE(codec.reply(gets, "VALUE lock\r\nEND\r\n").is_error());
  EXPECT_TRUE(codec.reply(gets, "VALUE lock 0 five 17\r\n").is_error());
  EXPECT_TRUE(codec.request("add lock 0 30 99999999999999\r\n").args().size() > 0);
  EXPECT_EQ(codec.request(" \r\n").args().size(), 0u);
}

TEST(MemcachedLog, ALineSaysWhoLookedForWhatWhen) {
  const auto line = log_line_from(
      "ts=1795397331.214193 gid=6 type=item_store key=lock status=stored cmd=add ttl=2 clsid=1 cfd=12 size=5");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->stamp_us, 1'795'397'331'214'193);
  EXPECT_EQ(line->type, "item_store");
  EXPECT_EQ(line->key, "lock");
  EXPECT_EQ(line->status, "stored");
  EXPECT_EQ(line->connection, 12);
}

TEST(MemcachedLog, ALineSaysWhoseConnectionItIs) {
  const auto line =
      log_line_from("ts=1795397331.213578 gid=2 type=conn_new rip=127.0.0.1 rport=41250 transport=tcp cfd=12");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->type, "conn_new");
  EXPECT_EQ(line->connection, 12);
  EXPECT_EQ(line->port, 41'250);
}

TEST(MemcachedLog, MicrosecondsAreANumber) {
  EXPECT_EQ(log_line_from("ts=1700000000.21000 gid=2 type=item_get key=k status=found cfd=12")->stamp_us,
            1'700'000'000'021'000);
}

TEST(MemcachedLog, OtherLinesAreNone) {
  for (const char* const text :
       {"", "OK\r", "ts=12 type=item_get", "type=item_get key=lock", "ts=1.000000 lock", "ts=1.x type=item_get"}) {
    EXPECT_FALSE(log_line_from(text)) << text;
  }
}

TEST(MemcachedEffects, AnItemLivesUntilItsTick) {
  const TickCount ticks{milliseconds(250)};
  EXPECT_EQ(ticks.left(seconds(1), milliseconds(1'000)), milliseconds(249));
  EXPECT_EQ(ticks.left(seconds(1), milliseconds(1'250)), milliseconds(999));
  EXPECT_EQ(ticks.left(seconds(3), milliseconds(100)), milliseconds(2'149));
}

}  // namespace
}  // namespace lockproof::real::memcached_text_test
