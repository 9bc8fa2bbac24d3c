// SPDX-License-Identifier: Apache-2.0
// Each test pins a sentence of docs/semantics/clients.md on clients that work once in each period.
#include "harness/scenario/file/write.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::periods_test {
namespace {

using harness::What;
using tests::event;
using tests::ms;
using tests::where;

const std::string every_minute = "[workload]\nclients = 1\nrounds = 3\nperiod = \"1min\"\nlease = \"10s\"\n";

harness::History with(const std::string& text) { return tests::run(tests::scenario(text)); }

std::vector<std::int64_t> starts(const harness::History& h, const std::string& client = "client-1") {
  std::vector<std::int64_t> all;
  for (const std::size_t i : where(h, What::start, client)) all.push_back(ms(h.events[i]));
  return all;
}
using Starts = std::vector<std::int64_t>;

TEST(Period, RoundKBeginsKPeriodsAfterTheStart) {
  EXPECT_EQ(starts(with(every_minute)), Starts({60'000, 120'000, 180'000}));
  EXPECT_EQ(starts(with(every_minute + "start = \"3s\"\n")), Starts({63'000, 123'000, 183'000}));
}

TEST(Period, BeginsByTheClientsOwnWallClock) {
  const std::string clock = "[[client]]\nname = \"client-1\"\nclock = ";
  EXPECT_EQ(starts(with(every_minute + clock + "\"+6s\"\n")), Starts({54'000, 114'000, 174'000}));
  EXPECT_EQ(starts(with(every_minute + clock + "\"-6s\"\n")), Starts({66'000, 126'000, 186'000}));
}

TEST(Period, AJumpOfThatClockBeginsItSoonerOrLater) {
  const auto jump = [](const std::string& by) {
    return starts(with(every_minute + "[[fault]]\nkind = \"clock-jump\"\ntarget = \"client-1\"\nat = \"70s\"\nby = \"" +
                       by + "\"\n"));
  };
  EXPECT_EQ(jump("+20s"), Starts({60'000, 100'000, 160'000}));
  EXPECT_EQ(jump("+51s"), Starts({60'000, 70'000, 129'000}));
  EXPECT_EQ(jump("-20s"), Starts({60'000, 140'000, 200'000}));
}

TEST(Period, AClockThatRunsFastBeginsItSooner) {
  EXPECT_EQ(starts(with(every_minute + "[[fault]]\nkind = \"clock-rate\"\ntarget = \"client-1\"\nat = \"0s\"\n"
                                       "rate = \"+100%\"\n")),
            Starts({30'000, 60'000, 90'000}));
}

TEST(Period, WhoComesLateForItStillDoesItsWork) {
  const auto h = with(every_minute + "work = [\"hold 130s\"]\n[run]\nhorizon = \"10min\"\n");
  EXPECT_EQ(starts(h), Starts({60'000, 190'004, 320'008}));
  EXPECT_EQ(where(h, What::enter).size(), 3u);
}

TEST(Period, WhoGivesUpComesAgainForTheNextOne) {
  const auto h = with(
      "[workload]\nperiod = \"1min\"\nattempts = 1\nrounds = 2\nwork = [\"hold 10s\"]\n"
      "[[client]]\nname = \"client-2\"\nstart = \"1s\"\n");
  EXPECT_EQ(starts(h, "client-2"), Starts({61'000, 121'000}));
  EXPECT_EQ(where(h, What::gave_up, "client-2").size(), 2u);
  EXPECT_EQ(where(h, What::finished, "client-1").size(), 1u);
}

TEST(Period, AFaultBetweenTwoPeriodsOfWhoGaveUpIsNotTooLate) {
  const std::string rival =
      "[[client]]\nname = \"client-2\"\nstart = \"1s\"\n[[fault]]\nkind = \"crash\"\ntarget = \"client-2\"\nat = ";
  const auto vacuous = [&](const std::string& at) {
    const harness::Scenario s = tests::scenario(
        "[workload]\nperiod = \"1min\"\nattempts = 1\nrounds = 2\nwork = [\"hold 10s\"]\n" + rival + at);
    return tests::judged(tests::run(s), s, "exercised").verdict;
  };
  EXPECT_EQ(vacuous("\"90s\"\n"), check::Verdict::not_found);
  EXPECT_EQ(vacuous("\"125s\"\n"), check::Verdict::violated);  // it has given up its last period
}

TEST(Period, TheRunLastsLongEnoughForTheLastOneUnlessItIsTold) {
  EXPECT_EQ(tests::scenario(every_minute).horizon, seconds(180 + 120));
  EXPECT_EQ(tests::scenario(every_minute + "[[client]]\nname = \"client-1\"\nclock = \"-9s\"\n").horizon, seconds(309));
  EXPECT_EQ(tests::scenario(every_minute + "[run]\nhorizon = \"5s\"\n").horizon, seconds(5));
}

TEST(Period, IsWrittenAndReadAgain) {
  const harness::Scenario s = tests::scenario(every_minute + "[resource]\nmarker = \"period\"\n");
  const harness::Scenario again = harness::parse_scenario("again.toml", harness::to_toml(s));
  EXPECT_EQ(again.period, s.period);
  EXPECT_EQ(again.marker, s.marker);
  EXPECT_EQ(again.horizon, s.horizon);
  EXPECT_EQ(again.clients, s.clients);
  EXPECT_TRUE(again.clients.front().plan.claims);
}

// ---- a marker at the resource

const std::string marked =
    "[workload]\nperiod = \"1min\"\nattempts = 1\nlease = \"10s\"\nwork = [\"read\", \"hold 1s\", \"write\"]\n"
    "[resource]\nmarker = \"period\"\n[[client]]\nname = \"client-2\"\nstart = \"3s\"\n";

TEST(Marker, WhoIsNotGivenThePeriodReleasesWithoutEntering) {
  const auto h = with(marked);
  EXPECT_EQ(tests::executed(h, "resource", "CLAIM").reply, Reply::integer(1));
  EXPECT_EQ(tests::executed(h, "resource", "CLAIM", 1).reply, Reply::integer(0));
  EXPECT_EQ(ms(event(h, What::enter, "client-1")), 60'004);  // after the claim's answer
  EXPECT_TRUE(where(h, What::enter, "client-2").empty());
  EXPECT_EQ(event(h, What::released, "client-2").word, "yes");
  EXPECT_EQ(where(h, What::finished).size(), 2u);
}

TEST(Marker, WhoDoesNotHearTheAnswerDoesNotEnter) {
  const auto h = with(
      marked +
      "[[fault]]\nkind = \"half-open\"\nlose = \"reply\"\ntarget = \"client-1\"\nwhen = \"client-1 before CLAIM\"\n");
  EXPECT_EQ(tests::executed(h, "resource", "CLAIM").reply, Reply::integer(1));
  EXPECT_TRUE(where(h, What::enter).empty());  // the period is lost
}

TEST(Marker, TheGrantIsLookedAtAgainWhenTheAnswerHasCome) {
  const auto h =
      with(marked + "stop_on = \"deadline\"\n[[client]]\nname = \"client-1\"\nstop_on = \"deadline\"\n" +
           "[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nwhen = \"client-1 after CLAIM\"\nfor = \"11s\"\n");
  EXPECT_TRUE(where(h, What::enter, "client-1").empty());
}

TEST(Marker, EachPeriodIsGivenOnceAndNoneThatIsOver) {
  harness::Register resource(harness::Fencing::none);
  const auto claim = [&](const char* period) { return resource.execute(Command({"CLAIM", period})); };
  EXPECT_EQ(claim("1"), Reply::integer(1));
  EXPECT_EQ(claim("1"), Reply::integer(0));
  EXPECT_EQ(claim("3"), Reply::integer(1));
  EXPECT_EQ(claim("2"), Reply::integer(0));
}

// ---- a lock that is kept until its lease ends

TEST(ReleaseTries, OfNoneLeaveTheLockToItsLease) {
  const auto h = with(
      "[workload]\nlease = \"9s\"\nrelease_tries = 0\nwork = [\"hold 1s\"]\n[[client]]\nname = \"client-2\"\nstart = "
      "\"100ms\"\n");
  EXPECT_EQ(event(h, What::released, "client-1").word, "skipped");
  EXPECT_EQ(ms(event(h, What::released, "client-1")), 1002);
  EXPECT_GE(ms(event(h, What::granted, "client-2")), 9001);
  EXPECT_EQ(where(h, What::finished).size(), 2u);
}

}  // namespace
}  // namespace lockproof::sim::periods_test
