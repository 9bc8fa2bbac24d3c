// SPDX-License-Identifier: Apache-2.0
// Each test pins a sentence of docs/services/memcached.md, "The server".
#include <gtest/gtest.h>

#include <sstream>

#include "sim/services/memcached/node.hpp"
#include "sim/services/memcached/verbs.hpp"

namespace lockproof::sim::memcached::memcached_node_test {
namespace {

const Reply stored = Reply::status("STORED");
const Reply not_stored = Reply::status("NOT_STORED");
const Reply not_found = Reply::status("NOT_FOUND");
Reply item(const char* value, std::int64_t unique) {
  return Reply::array({Reply::bulk(value), Reply::integer(unique)});
}

class MemcachedNode : public testing::Test {
 protected:
  [[nodiscard]] ServerTime at() const { return {(harness::epoch + now).count() / 1'000, now.count(), now}; }
  Reply run(const std::string& line) {
    std::vector<Value> words;
    std::stringstream stream(line);
    for (std::string word; stream >> word;) words.emplace_back(word == "''" ? "" : word);
    NodeAnswer executed = node->execute({1, Command(std::move(words)), at()});
    effects = executed.effects;
    return executed.reply;
  }
  [[nodiscard]] std::string effect_names() const {
    std::string all;
    for (const auto& e : effects) all += (all.empty() ? "" : " ") + e.event;
    return all;
  }
  [[nodiscard]] std::string encoding() const {
    StateEncoder into;
    node->encode(into, {}, at(), 2);
    return into.take();
  }
  [[nodiscard]] std::string residual(bool with_leased) const {
    StateEncoder into;
    node->residual(into, at(), with_leased);
    return into.take();
  }
  void start(Duration phase) { node = std::make_unique<Node>(harness::ClockSpec{}, phase); }

  NodeAnswer strike(harness::FaultKind kind) {
    harness::Fault fault;
    fault.kind = kind;
    return node->apply(fault, "lock", at());
  }

  Duration now{};
  std::unique_ptr<Node> node = std::make_unique<Node>();
  std::vector<harness::Effect> effects;
};

TEST_F(MemcachedNode, AddStoresOnlyWhatIsNotThere) {
  EXPECT_EQ(run("add lock a 10"), stored);
  EXPECT_EQ(run("add lock b 10"), not_stored);
  EXPECT_EQ(run("gets lock"), item("a", 1));
  EXPECT_EQ(run("gets other"), Reply::nil());
}

TEST_F(MemcachedNode, ATimeToLiveOfESecondsEndsAtTheEthTickFromNow) {
  now = milliseconds(250);
  run("add lock a 2");
  now = milliseconds(1'999);
  EXPECT_EQ(run("gets lock"), item("a", 1));
  now = milliseconds(2'000);
  EXPECT_EQ(run("gets lock"), Reply::nil());
  EXPECT_EQ(effect_names(), "expired");
}

TEST_F(MemcachedNode, APauseThatBeginsAtATickKeepsItNotBack) {
  now = milliseconds(1'000);
  node->stand_still(at());
  now = milliseconds(1'500);
  node->go_on(at());
  EXPECT_FALSE(node->due(HostClocks(harness::ClockSpec{})));
}

TEST_F(MemcachedNode, ASecondMayLastForAMillisecondOrForAll) {
  now = milliseconds(999);
  run("add lock a 1");
  now = milliseconds(1'000);
  EXPECT_EQ(run("add lock b 1"), stored);
  now = milliseconds(1'999);
  EXPECT_EQ(run("gets lock"), item("b", 2));
  now = milliseconds(2'000);
  EXPECT_EQ(run("gets lock"), Reply::nil());
}

TEST_F(MemcachedNode, ThePhaseSaysWhenItTicks) {
  start(milliseconds(999));
  run("add lock a 1");
  now = milliseconds(998);
  EXPECT_EQ(run("gets lock"), item("a", 1));
  now = milliseconds(999);
  EXPECT_EQ(run("gets lock"), Reply::nil());
}

TEST_F(MemcachedNode, TheHistoryIsToldForHowLongAnItemLives) {
  now = milliseconds(250);
  run("add lock a 2");
  ASSERT_EQ(effects.size(), 2u);
  EXPECT_EQ(effects[1].ttl, milliseconds(1'749));  // in its last millisecond it is still there
}

TEST_F(MemcachedNode, AJumpOfTheWallClockMovesNoLease) {
  run("add lock a 2");
  const std::vector<Value> words{"gets", "lock"};
  const Command command(words);
  const ServerTime later{at().wall_ms + 3'600'000, 1'999'999, now};
  EXPECT_EQ(node->execute({1, command, later}).reply, item("a", 1));
}

TEST_F(MemcachedNode, ZeroIsForEver) {
  run("add lock a 0");
  now = std::chrono::hours(1'000);
  EXPECT_EQ(run("gets lock"), item("a", 1));
}

TEST_F(MemcachedNode, ANegativeTimeIsOverAtOnce) {
  EXPECT_EQ(run("add lock a -1"), stored);
  EXPECT_EQ(effect_names(), "");
  EXPECT_EQ(run("gets lock"), Reply::nil());
  EXPECT_EQ(run("add lock b 5"), stored);
}

TEST_F(MemcachedNode, MoreThanThirtyDaysIsADate) {
  run("add month a 2592000");
  EXPECT_EQ(run("gets month"), item("a", 1));
  run("add longer a 2592001");  // a day in 1970
  EXPECT_EQ(run("gets longer"), Reply::nil());
  run("add date a " + std::to_string(std::chrono::duration_cast<seconds>(harness::epoch).count() + 3));
  now = milliseconds(2'999);
  EXPECT_EQ(run("gets date"), item("a", 3));
  now = seconds(3);
  EXPECT_EQ(run("gets date"), Reply::nil());
}

TEST_F(MemcachedNode, CasWritesOnlyWhatIsUnchanged) {
  run("add lock a 10");
  EXPECT_EQ(run("cas lock b 10 1"), stored);
  EXPECT_EQ(run("cas lock c 10 1"), Reply::status("EXISTS"));
  EXPECT_EQ(run("gets lock"), item("b", 2));
  EXPECT_EQ(run("cas other b 10 1"), not_found);
}

TEST_F(MemcachedNode, CasWithANegativeTimeIsADeleteThatCompares) {
  run("add lock a 10");
  EXPECT_EQ(run("cas lock '' -1 7"), Reply::status("EXISTS"));
  EXPECT_EQ(run("cas lock '' -1 1"), stored);
  EXPECT_EQ(effect_names(), "deleted");
  EXPECT_EQ(run("gets lock"), Reply::nil());
  EXPECT_EQ(run("cas lock '' -1 1"), not_found);
  EXPECT_EQ(run("add lock b 10"), stored);
}

TEST_F(MemcachedNode, NumbersOfItemsNeverComeAgain) {
  run("add lock a 10");
  EXPECT_EQ(run("delete lock"), Reply::status("DELETED"));
  run("add lock a 10");
  EXPECT_EQ(run("gets lock"), item("a", 2));
}

TEST_F(MemcachedNode, DeleteAsksNobody) {
  run("add lock a 10");
  EXPECT_EQ(run("delete lock"), Reply::status("DELETED"));
  EXPECT_EQ(effect_names(), "deleted");
  EXPECT_EQ(run("delete lock"), not_found);
}

TEST_F(MemcachedNode, TouchGivesAnotherTime) {
  run("add lock a 1");
  EXPECT_EQ(run("touch lock 5"), Reply::status("TOUCHED"));
  now = milliseconds(4'999);
  EXPECT_EQ(run("gets lock"), item("a", 1));
  EXPECT_EQ(run("touch lock -1"), Reply::status("TOUCHED"));
  EXPECT_EQ(run("touch lock 5"), not_found);
}

TEST_F(MemcachedNode, IncrCountsDigits) {
  EXPECT_EQ(run("incr n 1"), not_found);
  run("add n 99 0");
  EXPECT_EQ(run("incr n 1"), Reply::status("100"));
  EXPECT_EQ(run("gets n"), item("100", 2));
  run("set n 007 0");
  EXPECT_EQ(run("incr n 1"), Reply::status("8"));
  EXPECT_EQ(run("gets n"), item("8", 4));
  run("set n token 0");
  EXPECT_EQ(run("incr n 1"), Reply::error("CLIENT_ERROR cannot increment or decrement non-numeric value"));
}

TEST_F(MemcachedNode, WhatItDoesNotKnowIsAnError) {
  EXPECT_EQ(run("SETNX lock a"), Reply::error("ERROR"));
  EXPECT_EQ(run("add lock a"), Reply::error("ERROR"));
  EXPECT_EQ(run("gets " + std::string(251, 'k')), Reply::error("CLIENT_ERROR bad command line format"));
}

TEST_F(MemcachedNode, AnEvictionTellsNobody) {
  run("add lock a 10");
  run("add other a 10");
  const NodeAnswer done = strike(harness::FaultKind::evict);
  ASSERT_EQ(done.effects.size(), 1u);
  EXPECT_EQ(done.effects[0].event, "evicted");
  EXPECT_EQ(run("gets lock"), Reply::nil());
  EXPECT_EQ(run("gets other"), item("a", 2));
}

TEST_F(MemcachedNode, AFlushLosesAll) {
  run("add lock a 10");
  run("add other a 10");
  EXPECT_EQ(strike(harness::FaultKind::flush).effects.size(), 2u);
  EXPECT_EQ(run("gets other"), Reply::nil());
}

TEST_F(MemcachedNode, WhoeverEndsItLosesAll) {
  for (const bool without_warning : {false, true}) {
    run("add lock a 10");
    EXPECT_EQ(node->stop(without_warning, at()).size(), 1u);
    now += milliseconds(300);
    node->restart(at());
    EXPECT_EQ(run("gets lock"), Reply::nil());
  }
}

TEST_F(MemcachedNode, AProcessThatStartsAnewTicksFromItsStart) {
  now = milliseconds(300);
  (void)node->stop(false, at());
  node->restart(at());
  run("add lock a 1");
  now = milliseconds(1'299);
  EXPECT_EQ(run("gets lock"), item("a", 1));
  now = milliseconds(1'300);
  EXPECT_EQ(run("gets lock"), Reply::nil());
}

TEST_F(MemcachedNode, AStateIsFreeOfAbsoluteTime) {
  run("add lock a 2");
  const std::string before = encoding();
  start({});
  now = seconds(7);
  run("add lock a 2");
  EXPECT_EQ(encoding(), before);
  now += milliseconds(1);
  EXPECT_NE(encoding(), before);  // the next tick is nearer
}

TEST_F(MemcachedNode, ANewcomerFindsWhatHasNoEndAndPerhapsWhatIsLeased) {
  const std::string nothing = residual(false);
  run("add lock a 2");
  EXPECT_EQ(residual(false), nothing);
  EXPECT_NE(residual(true), nothing);
  EXPECT_EQ(node->longest_lease(at()), seconds(2));
  now = seconds(2);
  EXPECT_EQ(residual(true), nothing);
  run("add other a 0");
  EXPECT_NE(residual(false), nothing);
}

TEST_F(MemcachedNode, SaysWhenItemsAreOver) {
  now = milliseconds(400);
  run("add lock a 3");
  std::vector<Duration> instants;
  node->each_reading(HostClocks({}), [&](Duration instant) { instants.push_back(instant); });
  EXPECT_EQ(instants, std::vector<Duration>{seconds(3)});
}

}  // namespace
}  // namespace lockproof::sim::memcached::memcached_node_test
