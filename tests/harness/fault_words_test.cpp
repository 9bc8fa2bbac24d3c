// SPDX-License-Identifier: Apache-2.0
// The words of faults: templates, and that each row of the table has all of them.
#include "harness/scenario/faults/fault_words.hpp"

#include <gtest/gtest.h>

#include "harness/history/jsonl.hpp"

namespace lockproof::harness::fault_words_test {
namespace {

TEST(FaultWords, AGroupIsThereOnlyIfAllItsPlaceholdersHaveValues) {
  const std::string_view words = "cut off[ from {peer}][ for {time}]";
  EXPECT_EQ(fill(words, {}), "cut off");
  EXPECT_EQ(fill(words, {{"peer", "redis-1"}}), "cut off from redis-1");
  EXPECT_EQ(fill(words, {{"peer", "redis-1"}, {"time", "2 s"}}), "cut off from redis-1 for 2 s");
}

TEST(FaultWords, ASecondPartIsThereInstead) {
  EXPECT_EQ(fill("from [{peer}|all others]", {}), "from all others");
  EXPECT_EQ(fill("from [{peer}|all others]", {{"peer", "redis-1"}}), "from redis-1");
  EXPECT_EQ(fill("[a {x}[ and {y}]|no x[ but {y}]]", {{"y", "2"}}), "no x but 2");
  EXPECT_EQ(fill("[a {x}[ and {y}]|no x[ but {y}]]", {{"x", "1"}}), "a 1");
}

TEST(FaultWords, EachKindHasAllWordsAndNoUnknownPlaceholder) {
  Amounts known;
  for (const char* const name :
       {"time", "by", "way", "rate", "part", "connection", "peer", "session", "serves", "jump"})
    known[name] = "";
  for (const FaultRow& row : fault_table()) {
    const FaultRow::Words& words = row.words;
    for (const std::string_view text : {words.sentence, words.trace, words.mark, words.assumption}) {
      EXPECT_FALSE(text.empty()) << row.name;
      for (std::size_t at = 0; (at = text.find('{', at)) != std::string_view::npos; ++at) {
        const std::string name(text.substr(at + 1, text.find('}', at) - at - 1));
        EXPECT_TRUE(known.contains(name)) << text;
      }
    }
    EXPECT_EQ(has_end({.kind = row.kind, .lasts = seconds(1)}) || row.kind == FaultKind::client_pause,
              !words.meanwhile.empty())
        << row.name << ": what its host is while it lasts";
  }
}

TEST(FaultWords, AHistoryHasThoseOfTheFaultsThatStrikeInIt) {
  History history;
  history.header.hosts = {{"client-1", HostKind::client}};
  Event strike{.what = What::strike, .host = 0};
  strike.word = "suspend";
  history.events = {strike};
  const std::string text = to_jsonl(history);
  EXPECT_NE(text.find(R"("faults":{"suspend":{"action":"stand-still","mark":"suspended[ for {time}]")"),
            std::string::npos);
  EXPECT_EQ(text.find("partition"), std::string::npos);
  EXPECT_EQ(to_jsonl(from_jsonl(text)), text);
}

TEST(FaultWords, AFaultEndsAtAnEventOfTheSameActorServerAndState) {
  const EventPlace until{.actor = "client-2", .verb = "SET", .state = EventPlace::LockState::free, .server = "redis-1"};
  EventPlace event = until;
  event.round = 3;
  EXPECT_TRUE(ends_at(until, event)) << "in whatever round";
  event.state = EventPlace::LockState::held;
  EXPECT_FALSE(ends_at(until, event));
  EXPECT_TRUE(ends_at({.actor = "client-2", .verb = "SET"}, event)) << "what is not said is not asked for";
  event.actor = "client-1";
  EXPECT_FALSE(ends_at({.actor = "client-2", .verb = "SET"}, event));
}

}  // namespace
}  // namespace lockproof::harness::fault_words_test
