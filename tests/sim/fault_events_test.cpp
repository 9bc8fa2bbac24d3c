// SPDX-License-Identifier: Apache-2.0
// Each test pins a sentence of docs/semantics/faults.md: faults that are placed by whose the lock is, and those that
// end at an event.
#include "harness/input_error.hpp"
#include "search/state_space/stateful_engine.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::fault_events_test {
namespace {

using harness::What;
using tests::event;
using tests::executed;
using tests::ms;
using tests::sent;
using tests::where;

/// client-2 asks a second after client-1, who holds the lock for three.
const std::string two_clients =
    "[workload]\nlease = \"10s\"\nretry = \"400ms\"\nwork = [\"hold 3s\"]\n"
    "[[client]]\nname = \"client-2\"\nstart = \"1s\"\n";

std::string fault(const std::string& kind, const std::string& rest, const std::string& target = "client-1") {
  return "[[fault]]\nkind = \"" + kind + "\"\ntarget = \"" + target + "\"\n" + rest + "\n";
}

harness::History with(const std::string& faults) { return tests::run(tests::scenario(two_clients + faults)); }

Duration struck(const harness::History& h) { return event(h, What::strike).at; }
Duration healed(const harness::History& h) { return event(h, What::heal).at; }

std::string pause_of_client_2(const std::string& when) {
  return fault("pause", "for = \"100ms\"\nwhen = \"client-2 " + when + "\"", "client-2");
}

TEST(LockState, FreeAndHeldAreTheStatesOfTheServerWhenTheCommandLeaves) {
  EXPECT_EQ(struck(with(pause_of_client_2("before SET held"))), seconds(1));
  const auto h = with(pause_of_client_2("before SET held #3"));
  EXPECT_EQ(ms(event(h, What::strike)), ms(sent(h, "client-2", "SET", 2)) - 100);
  const auto free = with(pause_of_client_2("before SET free"));
  EXPECT_GT(struck(free), event(free, What::exit, "client-1").at);
  EXPECT_LT(struck(free), event(free, What::enter, "client-2").at);
}

TEST(LockState, ALeaseThatHasExpiredIsFree) {
  const auto h = with(fault("crash", "when = \"client-1 enters\"") + pause_of_client_2("before SET free"));
  EXPECT_GE(ms(event(h, What::strike, "client-2")), 10'000);
}

TEST(LockState, OwnIsTheClientsThatHoldsOrReleases) {
  const auto h = with(fault("pause", "for = \"1s\"\nwhen = \"client-1 before compare-and-delete own\""));
  EXPECT_EQ(struck(h), event(h, What::exit, "client-1").at);
  EXPECT_TRUE(
      where(with(fault("pause", "for = \"1s\"\nwhen = \"client-1 before compare-and-delete held\"")), What::strike)
          .empty());
}

TEST(LockState, OrphanIsTheClientsOfAnEarlierAttempt) {
  const std::string lost = fault("half-open", "when = \"client-1 before compare-and-delete\"");
  const std::string again =
      "[workload]\nclients = 1\nrounds = 2\nlease = \"10s\"\nwork = [\"hold 1s\"]\n"
      "[network]\ntimeout = \"1s\"\n";
  const auto h = tests::run(
      tests::scenario(again + lost + fault("pause", "for = \"1s\"\nwhen = \"client-1 before SET orphan round 2\"")));
  ASSERT_EQ(where(h, What::strike).size(), 2U);
  EXPECT_GT(h.events[where(h, What::strike)[1]].at, event(h, What::exit, "client-1").at);
}

TEST(EndsAtAnEvent, APauseEndsSoMuchLaterThanTheEvent) {
  const auto outlives = fault("pause",
                              "when = \"client-1 enters\"\nuntil = \"client-2 enters\"\nlonger = \"45ms\"\n"
                              "for = \"60s\"");
  const auto h = with(outlives);
  EXPECT_GE(ms(event(h, What::enter, "client-2")), 10'000);
  EXPECT_EQ(ms(event(h, What::heal)), ms(event(h, What::enter, "client-2")) + 45);
  EXPECT_EQ(where(h, What::heal).size(), 1U);
}

TEST(EndsAtAnEvent, ItsTimeIsTheMostThatItLasts) {
  const auto h = with(fault("pause", "when = \"client-1 enters\"\nuntil = \"client-2 enters\"\nfor = \"500ms\""));
  EXPECT_EQ(healed(h), struck(h) + milliseconds(500));
  EXPECT_EQ(where(h, What::heal).size(), 1U);
}

TEST(EndsAtAnEvent, EventsAreCountedSinceItStruckInWhateverRound) {
  const auto h =
      with(fault("pause", "when = \"client-1 enters\"\nuntil = \"client-2 before SET held #2\"\nfor = \"60s\""));
  EXPECT_EQ(healed(h), sent(h, "client-2", "SET", 1).at);
}

TEST(EndsAtAnEvent, AMessageThatIsLateArrivesThenAndThoseBehindItToo) {
  const auto h = with(fault("delay",
                            "when = \"client-1 before compare-and-delete\"\nuntil = \"client-2 enters\"\n"
                            "longer = \"1s\"\nby = \"60s\""));
  EXPECT_GE(ms(event(h, What::enter, "client-2")), 10'000);
  EXPECT_EQ(ms(executed(h, "redis-1", "compare-and-delete")), ms(event(h, What::enter, "client-2")) + 1'000);
}

TEST(EndsAtAnEvent, APartitionEndsThenAndAnotherOneGoesOn) {
  const std::string cut = "peer = \"redis-1\"\nwhen = \"client-1 enters\"\n";
  const std::string first = fault("partition", cut + "until = \"client-2 enters\"\nfor = \"60s\"");
  const auto h = with(first);
  EXPECT_EQ(healed(h), event(h, What::enter, "client-2").at);
  const auto both = with(first + fault("partition", cut + "for = \"30s\""));
  for (const std::size_t i : where(both, What::execute, "redis-1")) {
    const bool of_client_1 = both.host_name(both.events[i].peer) == "client-1";
    EXPECT_FALSE(of_client_1 && ms(both.events[i]) > 10 && ms(both.events[i]) < 30'000);
  }
}

TEST(EndsAtAnEvent, NoSearchTakesItNorAPlaceByWhoseTheLockIs) {
  for (const std::string& one :
       {fault("pause", "when = \"client-1 enters\"\nuntil = \"client-2 enters\"\nfor = \"60s\""),
        pause_of_client_2("before SET free")}) {
    const harness::Scenario scenario = tests::scenario(two_clients + one);
    EXPECT_THROW(static_cast<void>(explore_stateful(scenario, {}, {})), harness::InputError);
  }
}

}  // namespace
}  // namespace lockproof::sim::fault_events_test
