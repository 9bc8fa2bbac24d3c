// SPDX-License-Identifier: Apache-2.0
// What becomes of a master's other replicas when one of them takes its place. Each test pins a sentence of
// docs/services/redis.md.
#include "tests/fixtures.hpp"

namespace lockproof::sim::other_replicas_test {
namespace {

using harness::What;
using tests::event;
using tests::ms;
using tests::where;

const std::string rivals =
    "[workload]\nlease = \"60s\"\nwork = [\"hold 20s\"]\nacquire_timeout = \"60s\"\nretry = \"100ms\"\n"
    "[[client]]\nname = \"client-2\"\nstart = \"1s\"\n";
const std::string three =
    "[servers]\nredis = 3\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n"
    "[[server]]\nname = \"redis-3\"\nreplica_of = \"redis-1\"\n";

std::string fault(const std::string& kind, const std::string& target, const std::string& rest) {
  return "[[fault]]\nkind = \"" + kind + "\"\ntarget = \"" + target + "\"\n" + rest + "\n";
}
harness::History with(const std::string& faults) { return tests::run(tests::scenario(rivals + three + faults)); }

/// What a replica ran, as "redis-2: FULLRESYNC", from an instant on.
std::vector<std::string> runs(const harness::History& h, const std::string& replica, std::int64_t from_ms) {
  std::vector<std::string> all;
  for (const std::size_t i : where(h, What::replicate, replica)) {
    const harness::Event& e = h.events[i];
    if (ms(e) >= from_ms) all.push_back(h.host_name(e.peer) + ": " + std::string(e.command->verb()));
  }
  return all;
}

const std::string over = fault("failover", "redis-1", "at = \"2s\"\nto = \"redis-2\"");

TEST(OtherReplicas, FollowTheNewMaster) {
  const auto h = with(over);
  const auto ran = runs(h, "redis-3", 2'000);
  ASSERT_GE(ran.size(), 3U);
  EXPECT_EQ(ran[0], "redis-2: FULLRESYNC");
  EXPECT_EQ(ran[1], "redis-2: del");
  EXPECT_EQ(ran[2], "redis-2: SET");
  const auto first = event(h, What::replicate, "redis-3", 1);
  EXPECT_EQ(ms(first), 2'002) << "its wish takes one way, the copy the other";
}

TEST(OtherReplicas, LoseWhatTheNewMasterLacks) {
  const auto h = with(fault("replication-stall", "redis-2", "at = \"0s\"\nfor = \"5s\"") + over);
  EXPECT_EQ(runs(h, "redis-3", 0)[0], "redis-1: SET") << "it had the lock";
  const harness::Event copied = event(h, What::replicate, "redis-3", 1);
  EXPECT_EQ(copied.command->verb(), "FULLRESYNC");
  ASSERT_EQ(copied.effects.size(), 1U);
  EXPECT_EQ(copied.effects[0].event, "flushed");
  EXPECT_EQ(copied.effects[0].key, "lock");
}

TEST(OtherReplicas, LoseWhatTheirOldMasterHadSentThem) {
  const auto h = with(fault("replication-stall", "redis-3", "at = \"0s\"\nfor = \"5s\"") + over);
  const auto ran = runs(h, "redis-3", 0);
  ASSERT_FALSE(ran.empty());
  EXPECT_EQ(ran[0], "redis-2: FULLRESYNC") << "the stall was of the link to its old master";
  EXPECT_EQ(ms(event(h, What::replicate, "redis-3")), 2'002);
}

TEST(OtherReplicas, OfAnOldMasterThatServesLeaveIt) {
  const auto h =
      with(fault("failover", "redis-1", "at = \"2s\"\nto = \"redis-2\"\nold = \"serves\"\nnotified = [\"client-2\"]"));
  for (const std::string& ran : runs(h, "redis-3", 2'000)) EXPECT_EQ(ran.substr(0, 7), "redis-2");
  EXPECT_FALSE(runs(h, "redis-3", 2'000).empty());
}

TEST(OtherReplicas, FollowOnceTheyGoOn) {
  const auto paused = with(fault("pause", "redis-3", "at = \"1s\"\nfor = \"4s\"") + over);
  EXPECT_EQ(runs(paused, "redis-3", 1'000).at(0), "redis-2: FULLRESYNC");
  EXPECT_EQ(ms(event(paused, What::copy, "redis-2")), 5'001);
  const auto down = with(fault("restart", "redis-3", "at = \"1s\"\nfor = \"4s\"") + over);
  EXPECT_EQ(runs(down, "redis-3", 1'000).at(0), "redis-2: FULLRESYNC");
  EXPECT_EQ(ms(event(down, What::copy, "redis-2")), 5'001);
}

TEST(OtherReplicas, MayBePromotedInTheirTurn) {
  const auto h = with(over + fault("failover", "redis-2", "at = \"4s\"\nto = \"redis-3\""));
  EXPECT_EQ(where(h, What::strike).size(), 2U);
  EXPECT_FALSE(where(h, What::execute, "redis-3").empty());
  EXPECT_GT(ms(event(h, What::enter, "client-2")), 20'000) << "the copy has the lock";
  // Not by their old master's failover, which is over.
  EXPECT_EQ(where(with(over + fault("failover", "redis-1", "at = \"4s\"\nto = \"redis-3\"")), What::strike).size(), 1U);
}

TEST(OtherReplicas, FollowWhomASentinelPromotes) {
  const auto h = with("[[sentinel]]\nmaster = \"redis-1\"\npromotes = \"redis-2\"\ndown_after = \"1s\"\n" +
                      fault("pause", "redis-1", "at = \"2s\"\nfor = \"10s\""));
  EXPECT_EQ(runs(h, "redis-3", 3'000).at(0), "redis-2: FULLRESYNC");
  EXPECT_EQ(ms(event(h, What::copy, "redis-2")), 3'001);
}

}  // namespace
}  // namespace lockproof::sim::other_replicas_test
