// SPDX-License-Identifier: Apache-2.0
// Each test pins a sentence of docs/semantics/time.md or docs/semantics/network.md.
#include "sim/world/world.hpp"

#include "sim/kernel/choosers.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::world_test {
namespace {

using harness::What;
using tests::event;
using tests::executed;
using tests::ms;
using tests::sent;
using tests::where;

TEST(World, AMessageTakesItsLatencyEachWay) {
  const auto h = tests::run(tests::scenario("[network]\nlatency = \"3ms\"\n[workload]\nclients = 1\n"));
  EXPECT_EQ(ms(sent(h, "client-1", "SET")), 0);
  EXPECT_EQ(ms(executed(h, "redis-1", "SET")), 3);
  EXPECT_EQ(ms(event(h, What::receive, "client-1")), 6);
}

TEST(World, AConnectionKeepsItsOrderWhateverTheLatencies) {
  const auto s = tests::scenario(
      "[network]\nlatency = [\"1ms\", \"500ms\"]\ntimeout = \"2ms\"\non_timeout = \"discard\"\n"
      "[workload]\nclients = 1\nacquire_timeout = \"1s\"\n");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto h = tests::run(s, seed);
    int last = 0;
    for (const std::size_t i : where(h, What::execute, "redis-1")) {
      EXPECT_EQ(h.events[i].message, last + 1);
      last = h.events[i].message;
    }
    EXPECT_GT(last, 2);
  }
}

TEST(World, ACallWithoutAReplyEndsAtItsTimeOutAndIsIndefinite) {
  const auto h =
      tests::run(tests::scenario("[network]\nlatency = \"30ms\"\ntimeout = \"50ms\"\n"
                                 "[workload]\nclients = 1\nacquire_timeout = \"0s\"\n"));
  EXPECT_EQ(ms(event(h, What::time_out, "client-1")), 50);
  EXPECT_EQ(event(h, What::failed, "client-1").error, Error::no_reply);
  EXPECT_EQ(ms(executed(h, "redis-1", "SET")), 30);  // it ran all the same
}

TEST(World, AReplyAtTheTimeOutIsATieThatTheChooserDecides) {
  const auto text = [](const char* first) {
    return std::string(
               "[network]\nlatency = \"25ms\"\ntimeout = \"50ms\"\n[workload]\nclients = 1\nacquire_timeout = \"0s\"\n"
               "[[step]]\nevent = \"") +
           first + "\"\n";
  };
  EXPECT_TRUE(where(tests::run(tests::scenario(text("redis-1 -> client-1 SET"))), What::failed).empty());
  EXPECT_EQ(where(tests::run(tests::scenario(text("client-1 time-out redis-1 SET"))), What::failed).size(), 1u);
}

TEST(World, ADriverThatDiscardsKeepsItsConnectionAndThrowsTheLateReplyAway) {
  const auto h =
      tests::run(tests::scenario("[network]\nlatency = \"30ms\"\ntimeout = \"50ms\"\non_timeout = \"discard\"\n"
                                 "[workload]\nclients = 1\nacquire_timeout = \"0s\"\n"));
  EXPECT_EQ(ms(event(h, What::discard, "client-1")), 60);
}

TEST(World, ADriverThatReconnectsNeverSeesTheLateReply) {
  const auto h =
      tests::run(tests::scenario("[network]\nlatency = \"30ms\"\ntimeout = \"50ms\"\n"
                                 "[workload]\nclients = 1\nacquire_timeout = \"0s\"\n"));
  EXPECT_TRUE(where(h, What::discard).empty());
  EXPECT_TRUE(where(h, What::receive).empty());
}

TEST(World, ALeaseEndsByTheServersWallClockInWholeMilliseconds) {
  // The SET runs at 1.000 ms; its stamp is 100 ms later; the key is gone in the millisecond after that.
  const auto h =
      tests::run(tests::scenario("[workload]\nclients = 2\nlease = \"100ms\"\nwork = [\"hold 1s\"]\n"
                                 "[[client]]\nname = \"client-2\"\nstart = \"50ms\"\n",
                                 "set-px-token"));
  const auto taken = event(h, What::granted, "client-2");
  EXPECT_GT(ms(taken), 101);
  for (const std::size_t i : where(h, What::execute, "redis-1")) {
    const auto& e = h.events[i];
    if (e.peer == h.host_named("client-2") && e.command->verb() == "SET") {
      EXPECT_EQ(e.reply->is_nil(), e.at <= milliseconds(101)) << e.at.count();
    }
  }
}

TEST(World, ClientsWithOtherClocksDecideTheSameWhereNoClockIsCompared) {
  const auto plain = tests::run(tests::scenario(""));
  const auto shifted = tests::run(tests::scenario("[[client]]\nname = \"client-2\"\nclock = \"-1h\"\n"));
  ASSERT_EQ(plain.events.size(), shifted.events.size());
  for (std::size_t i = 0; i < plain.events.size(); ++i) EXPECT_EQ(plain.events[i].what, shifted.events[i].what);
}

TEST(World, EndsWhenNothingCanHappenOrAtTheHorizon) {
  EXPECT_EQ(event(tests::run(tests::scenario("")), What::end).word, "finished");
  const auto cut = tests::run(tests::scenario("[run]\nhorizon = \"500ms\"\n"));
  EXPECT_EQ(event(cut, What::end).word, "horizon");
  EXPECT_EQ(ms(event(cut, What::end)), 500);
}

TEST(World, RunsTheSameWithAndWithoutAHistory) {
  const auto s = tests::scenario("[workload]\nrounds = 5\n[network]\nlatency = [\"1ms\", \"9ms\"]\n");
  const auto events = [&](Options options) {
    RandomChooser chooser(3);
    World world(s, chooser, std::move(options));
    world.run();
    return std::pair(world.events(), world.now());
  };
  const auto recorded = events({.record = true, .record_inputs = true, .token_name = {}});
  EXPECT_EQ(recorded, events({.record = false, .record_inputs = false, .token_name = {}}));
  EXPECT_EQ(recorded, events({.record = true, .record_inputs = false, .token_name = {}}));
}

}  // namespace
}  // namespace lockproof::sim::world_test
