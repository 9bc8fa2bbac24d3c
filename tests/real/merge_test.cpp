// SPDX-License-Identifier: Apache-2.0
// One history out of what several processes saw.
#include "real/run/merge.hpp"

#include <gtest/gtest.h>

#include <string>

namespace lockproof::tests::merge_test {
namespace {

using harness::Event;
using harness::What;

constexpr harness::HostIndex server = 2;
constexpr int port_a = 5001, port_b = 5002;

real::StampedEvent message(What what, harness::HostIndex client, int number, std::int64_t at, std::uint64_t sequence,
                           int port = 0) {
  Event event{.what = what};
  event.host = client;
  event.peer = server;
  event.message = number;
  event.at = Duration(at);
  if (what == What::send) event.command = Command(std::vector<Value>{"GET", "k"});
  if (what == What::receive) event.reply = Reply::nil();
  return {sequence, std::move(event), port};
}

real::Execution ran(int port, int at, std::vector<Value> words = {"GET", "k"}) {
  return {.at = Duration(at), .port = port, .words = std::move(words)};
}

/// E.g. "s1 x1 r1": client 0's first message sent, executed, received; client 1's in capitals.
std::string order_of(const std::vector<Event>& events) {
  std::string order;
  for (const Event& event : events) {
    const bool execution = event.what == What::execute;
    const char letter = execution ? 'x' : event.what == What::send ? 's' : 'r';
    const bool second = (execution ? event.peer : event.host) == 1;
    order += static_cast<char>(second ? letter - 'a' + 'A' : letter) + std::to_string(event.message) + " ";
  }
  return order;
}

TEST(Merge, AnExecutionWithoutWordsIsTheNextCommandOfItsConnection) {
  const auto of_unknown_words = [](int port, int at, const char* word) {
    real::Execution execution = ran(port, at, {});
    execution.effects_of = [word](const Command& command) {
      return std::vector<harness::Effect>{{harness::Change::acquired, word, command.args().at(1).bytes(), {}}};
    };
    return execution;
  };
  const auto events = real::merge({message(What::send, 0, 1, 10, 1, port_a), message(What::send, 1, 1, 20, 2, port_b),
                                   message(What::send, 0, 2, 30, 3, port_a)},
                                  {{server,
                                    {of_unknown_words(port_a, 40, "first"), of_unknown_words(port_a, 50, "second"),
                                     of_unknown_words(port_b, 60, "third"), of_unknown_words(port_b, 70, "nobody's")}}},
                                  Duration(100));
  EXPECT_EQ(order_of(events), "s1 S1 s2 x1 x2 X1 ");
  EXPECT_EQ(events[3].effects.at(0).event, "first");
  EXPECT_EQ(events[3].effects.at(0).key, "k");
  EXPECT_EQ(events[5].effects.at(0).event, "third");
}

TEST(Merge, PutsAnExecutionWhereItsStampSays) {
  const auto events = real::merge({message(What::send, 0, 1, 10, 1, port_a), message(What::send, 1, 1, 20, 2, port_b),
                                   message(What::receive, 1, 1, 40, 3), message(What::receive, 0, 1, 50, 4)},
                                  {{server, {ran(port_b, 30), ran(port_a, 45)}}}, Duration(100));
  EXPECT_EQ(order_of(events), "s1 S1 X1 R1 x1 r1 ");
  EXPECT_EQ(events.at(2).at, Duration(30));
  EXPECT_EQ(events.at(2).reply, Reply::nil()) << "from what its client received";
}

TEST(Merge, AStampThatIsOffIsMovedBetweenSendingAndReceipt) {
  for (const int stamp : {3, 70}) {
    const auto events = real::merge({message(What::send, 0, 1, 10, 1, port_a), message(What::receive, 0, 1, 20, 2)},
                                    {{server, {ran(port_a, stamp)}}}, Duration(100));
    EXPECT_EQ(order_of(events), "s1 x1 r1 ");
    EXPECT_EQ(events.at(1).at, Duration(stamp < 10 ? 10 : 20));
  }
}

TEST(Merge, KeepsTheServersOrderWhateverTheStampsSay) {
  const auto events = real::merge({message(What::send, 0, 1, 10, 1, port_a), message(What::send, 1, 1, 11, 2, port_b),
                                   message(What::receive, 0, 1, 50, 3), message(What::receive, 1, 1, 60, 4)},
                                  {{server, {ran(port_b, 40), ran(port_a, 30)}}}, Duration(100));
  EXPECT_EQ(order_of(events), "s1 S1 X1 x1 r1 R1 ");
}

TEST(Merge, ASecondConnectionIsToldApartByItsPort) {
  // The first command never got a reply; the client connected anew and sent the same again.
  const auto events = real::merge({message(What::send, 0, 1, 10, 1, port_a), message(What::send, 0, 2, 20, 2, port_b),
                                   message(What::receive, 0, 2, 40, 3)},
                                  {{server, {ran(port_b, 30), ran(port_a, 50)}}}, Duration(100));
  EXPECT_EQ(order_of(events), "s1 s2 x2 r2 x1 ");
  EXPECT_FALSE(events.back().reply);
}

TEST(Merge, CommandsThatNoClientSentAreLeftOut) {
  const auto events = real::merge({message(What::send, 0, 1, 10, 1, port_a)},
                                  {{server, {ran(77, 11), ran(port_a, 12, {"ECHO", "x"})}}}, Duration(100));
  EXPECT_EQ(order_of(events), "s1 ");
}

TEST(Merge, AReplyShowsThatACommandWasProcessedWhereNothingElseDoes) {
  const auto events = real::merge({message(What::send, 0, 1, 10, 1, port_a), message(What::receive, 0, 1, 20, 2)},
                                  {{server, {}}}, Duration(100));
  EXPECT_EQ(order_of(events), "s1 x1 r1 ");
}

TEST(Merge, WhatRunsAfterTheEndIsLeftOut) {
  const auto events =
      real::merge({message(What::send, 0, 1, 10, 1, port_a)}, {{server, {ran(port_a, 101)}}}, Duration(100));
  EXPECT_EQ(order_of(events), "s1 ");
}

}  // namespace
}  // namespace lockproof::tests::merge_test
