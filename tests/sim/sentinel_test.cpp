// SPDX-License-Identifier: Apache-2.0
// A sentinel: how it notices that a master is gone, whom it promotes, and what becomes of the old master. Each test
// pins a sentence of docs/services/redis.md.
#include "tests/fixtures.hpp"

namespace lockproof::sim::sentinel_test {
namespace {

using harness::What;
using tests::event;
using tests::ms;
using tests::where;

const std::string rivals =
    "[workload]\nlease = \"60s\"\nwork = [\"hold 30s\"]\nacquire_timeout = \"60s\"\n"
    "[[client]]\nname = \"client-2\"\nstart = \"1s\"\n";
const std::string watched =
    "[servers]\nredis = 2\n[[server]]\nname = \"redis-2\"\nreplica_of = \"redis-1\"\n"
    "[[sentinel]]\nmaster = \"redis-1\"\npromotes = \"redis-2\"\ndown_after = \"5s\"\n";

std::string fault(const std::string& kind, const std::string& target, const std::string& rest) {
  return "[[fault]]\nkind = \"" + kind + "\"\ntarget = \"" + target + "\"\n" + rest + "\n";
}
harness::History with(const std::string& sentinel, const std::string& faults) {
  return tests::run(tests::scenario(rivals + watched + sentinel + faults));
}
/// When a sentinel decided something, in milliseconds: "failover", "demotion".
std::vector<std::int64_t> decided(const harness::History& h, const std::string& what) {
  std::vector<std::int64_t> at;
  for (const std::size_t i : where(h, What::strike)) {
    if (h.events[i].word == what && h.events[i].fault == 0) at.push_back(ms(h.events[i]));
  }
  return at;
}
using Times = std::vector<std::int64_t>;

TEST(Sentinel, PromotesAReplicaWhoseMasterItHasNotHeardLongEnough) {
  for (const char* silent : {"restart", "power-cut", "pause", "partition"}) {
    EXPECT_EQ(decided(with("", fault(silent, "redis-1", "at = \"2s\"\nfor = \"20s\"")), "failover"), Times{7'000})
        << silent;
    EXPECT_EQ(decided(with("", fault(silent, "redis-1", "at = \"2s\"\nfor = \"4999ms\"")), "failover"), Times{})
        << silent;
  }
  const auto h = with("", fault("restart", "redis-1", "at = \"2s\"\nfor = \"20s\""));
  const harness::Event failover = event(h, What::strike, "redis-1", 1);
  EXPECT_EQ(failover.word, "failover");
  EXPECT_EQ(failover.peer, h.host_named("redis-2"));
  EXPECT_EQ(failover.value, 5'000'000) << "microseconds that it has not heard it";
  EXPECT_EQ(decided(with("", ""), "failover"), Times{});
}

TEST(Sentinel, CountsSilenceFromItsBeginningAndAtOneStretch) {
  const std::string twice = fault("pause", "redis-1", "at = \"2s\"\nfor = \"4s\"") +
                            fault("pause", "redis-1", "at = \"6100ms\"\nfor = \"4s\"");
  EXPECT_EQ(decided(with("", twice), "failover"), Times{});
  const std::string overlapping =
      fault("pause", "redis-1", "at = \"2s\"\nfor = \"4s\"") + fault("restart", "redis-1", "at = \"5s\"\nfor = \"4s\"");
  EXPECT_EQ(decided(with("", overlapping), "failover"), Times{7'000});
}

/// A partition ends without an event. What others do meanwhile, and when, must not decide what the sentinel does.
TEST(Sentinel, NoticesTheEndOfAPartitionWithoutAnEvent) {
  const std::string alone = "[workload]\nwork = [\"hold 30s\"]\nlease = \"60s\"\nclients = 1\n";
  for (const std::string& others : {alone, rivals}) {
    const auto in = [&](const std::string& sentinel, const std::string& faults) {
      return tests::run(tests::scenario(others + watched + sentinel + faults));
    };
    const std::string twice = fault("partition", "redis-1", "at = \"2s\"\nfor = \"4s\"\npeer = \"redis-2\"") +
                              fault("partition", "redis-1", "at = \"6500ms\"\nfor = \"4s\"\npeer = \"redis-2\"");
    EXPECT_EQ(decided(in("", twice), "failover"), Times{});
    const std::string once = fault("partition", "redis-1", "at = \"2s\"\nfor = \"7s\"\npeer = \"redis-2\"");
    const harness::History h = in("demotes_after = \"3s\"\n", once);
    EXPECT_EQ(decided(h, "failover"), Times{7'000});
    EXPECT_EQ(decided(h, "demotion"), Times{12'000}) << "three seconds after the partition has ended";
  }
}

TEST(Sentinel, HearsAMasterFromWhereItsReplicaStands) {
  const auto cut_from = [](const std::string& peer, const std::string& way) {
    return decided(with("", fault("partition", "redis-1",
                                  "at = \"2s\"\nfor = \"9s\"\npeer = \"" + peer + "\"\ndirection = \"" + way + "\"")),
                   "failover");
  };
  EXPECT_EQ(cut_from("redis-2", "to-peer"), Times{7'000});
  EXPECT_EQ(cut_from("redis-2", "from-peer"), Times{7'000});
  EXPECT_EQ(cut_from("client-1", "both"), Times{});
  EXPECT_EQ(decided(with("", fault("replication-stall", "redis-2", "at = \"2s\"\nfor = \"9s\"")), "failover"), Times{});
}

TEST(Sentinel, PromotesNobodyWhoIsDownAndDoesSoOnceThatIsUp) {
  const std::string both = fault("restart", "redis-1", "at = \"2s\"\nfor = \"20s\"") +
                           fault("pause", "redis-2", "at = \"3s\"\nfor = \"6s\"");
  EXPECT_EQ(decided(with("", both), "failover"), Times{9'000});
}

TEST(Sentinel, TellsTheClientsThatFollowIt) {
  const std::string cut = fault("partition", "redis-1", "at = \"500ms\"\nfor = \"9s\"\npeer = \"redis-2\"");
  const auto all = with("", cut);
  EXPECT_EQ(ms(event(all, What::broken, "client-1")), 5'500);
  EXPECT_EQ(ms(event(all, What::broken, "client-2")), 5'500);
  const auto one = with("notified = [\"client-2\"]\n", cut);
  EXPECT_EQ(ms(event(one, What::broken, "client-2")), 5'500);
  EXPECT_EQ(ms(event(one, What::broken, "client-1")), 17'500);  // when the old master is demoted
}

TEST(Sentinel, WhoseMasterHasEndedTellsEverybody) {
  const auto h = with("notified = [\"client-2\"]\n", fault("restart", "redis-1", "at = \"2s\"\nfor = \"20s\""));
  EXPECT_EQ(ms(event(h, What::broken, "client-1", 1)), 7'000);  // the first time it lost its connection
}

TEST(Sentinel, MakesAReplicaOfAnOldMasterThatItHearsAgain) {
  const std::string cut = fault("partition", "redis-1", "at = \"2s\"\nfor = \"9s\"\npeer = \"redis-2\"");
  EXPECT_EQ(decided(with("", cut), "demotion"), Times{19'000});
  const auto h = with("demotes_after = \"1s\"\n", cut);
  EXPECT_EQ(decided(h, "demotion"), Times{12'000});
  const harness::Event copied = event(h, What::replicate, "redis-1");
  EXPECT_EQ(copied.command->verb(), "FULLRESYNC");
  EXPECT_EQ(ms(copied), 12'002);
}

TEST(Sentinel, WatchesTheNewMasterThen) {
  const auto h = with("demotes_after = \"1s\"\n", fault("pause", "redis-1", "at = \"2s\"\nfor = \"6s\"") +
                                                      fault("pause", "redis-2", "at = \"12s\"\nfor = \"6s\""));
  EXPECT_EQ(decided(h, "failover"), (Times{7'000, 17'000}));
  EXPECT_EQ(decided(h, "demotion"), (Times{9'000, 19'000}));
}

TEST(Sentinel, LeavesAFailoverByAnOperatorAlone) {
  const auto h = with("", fault("failover", "redis-1", "at = \"2s\"\nto = \"redis-2\""));
  EXPECT_EQ(decided(h, "failover"), Times{});
}

TEST(Failover, OfAReplicaThatIsNoneAnyMoreDoesNotHappen) {
  const auto h = with("", fault("restart", "redis-1", "at = \"2s\"\nfor = \"20s\"") +
                              fault("failover", "redis-1", "at = \"9s\"\nto = \"redis-2\""));
  EXPECT_EQ(decided(h, "failover"), Times{7'000});
  EXPECT_EQ(where(h, What::strike).size(), 3U);  // the restart, the sentinel's failover and its demotion
}

}  // namespace
}  // namespace lockproof::sim::sentinel_test
