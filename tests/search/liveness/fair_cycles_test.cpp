// SPDX-License-Identifier: Apache-2.0
// Schedules in which somebody never gets the lock, on graphs made by hand.
#include <gtest/gtest.h>

#include <string>

#include "search/liveness/fair_cycles.hpp"

namespace lockproof::sim::fair_cycles_test {
namespace {

using Clients = FairCycles::Clients;
using Event = FairCycles::Event;

constexpr Clients nobody = 0, one = 1, two = 2, both = 3;

FairCycles graph(std::initializer_list<Clients> wants, std::initializer_list<Event> events) {
  FairCycles cycles;
  for (const Clients clients : wants) cycles.add_state(clients);
  for (const Event& event : events) cycles.add_event(event);
  return cycles;
}

/// "client: stem / turn", with a + where others get the lock; events by number.
std::vector<std::string> lassos(const FairCycles& cycles) {
  const auto list = [](const std::vector<std::uint32_t>& events) {
    std::string text;
    for (const std::uint32_t e : events) text += " " + std::to_string(e);
    return text;
  };
  std::vector<std::string> all;
  for (const Lasso& lasso : cycles.lassos(10)) {
    all.push_back(std::to_string(lasso.client) + (lasso.others_get_it ? "+" : "") + ":" + list(lasso.stem) + " /" +
                  list(lasso.turn));
  }
  return all;
}
using Texts = std::vector<std::string>;

TEST(FairCycles, ATurnOnWhichTimePassesIsFair) {
  const FairCycles cycles = graph({nobody, one, one}, {{.from = 0, .to = 1, .act = 0},
                                                       {.from = 1, .to = 2, .act = 1, .time_passes = true},
                                                       {.from = 2, .to = 1, .act = 2}});
  EXPECT_EQ(lassos(cycles), Texts{"0: 0 / 1 2"});
}

TEST(FairCycles, ATurnWithinOneInstantIsNot) {
  EXPECT_EQ(lassos(graph({one}, {{.from = 0, .to = 0, .act = 0}})), Texts{});
  EXPECT_EQ(lassos(graph({one}, {{.from = 0, .to = 0, .act = 0, .time_passes = true}})), Texts{"0: / 0"});
}

TEST(FairCycles, AFaultMayLieOnTheStemAndNotOnTheTurn) {
  EXPECT_EQ(lassos(graph({one, one}, {{.from = 0, .to = 1, .act = 0, .faults = 1},
                                      {.from = 1, .to = 1, .act = 1, .time_passes = true},
                                      {.from = 0, .to = 0, .act = 2, .time_passes = true, .faults = 1}})),
            Texts{"0: 0 / 1"});
}

TEST(FairCycles, WhoGetsItOrNoLongerWantsItIsNotKeptFromIt) {
  EXPECT_EQ(lassos(graph({one}, {{.from = 0, .to = 0, .act = 0, .time_passes = true, .gets_it = one}})), Texts{});
  EXPECT_EQ(lassos(graph({one, nobody},
                         {{.from = 0, .to = 1, .act = 0, .time_passes = true}, {.from = 1, .to = 0, .act = 1}})),
            Texts{});
}

TEST(FairCycles, WhereOthersGetItOneStarves) {
  const FairCycles cycles = graph({both, one}, {{.from = 0, .to = 1, .act = 0, .time_passes = true, .gets_it = two},
                                                {.from = 1, .to = 0, .act = 1, .time_passes = true}});
  EXPECT_EQ(lassos(cycles), Texts{"0+: / 0 1"});
}

TEST(FairCycles, ATurnGoesRoundByWhatItMustHave) {
  // The short way back is without time, and without a grant to another one.
  const FairCycles cycles = graph({both, one, one}, {{.from = 0, .to = 0, .act = 0},
                                                     {.from = 0, .to = 1, .act = 1, .gets_it = two},
                                                     {.from = 1, .to = 2, .act = 2, .time_passes = true},
                                                     {.from = 2, .to = 0, .act = 3}});
  EXPECT_EQ(lassos(cycles), Texts{"0+: / 1 2 3"});
}

TEST(FairCycles, OfTwoComponentsTheOneWithFewerFaultsComesFirst) {
  const FairCycles cycles = graph({one, one, nobody, one}, {{.from = 0, .to = 1, .act = 0, .faults = 1},
                                                            {.from = 1, .to = 1, .act = 1, .time_passes = true},
                                                            {.from = 0, .to = 2, .act = 2},
                                                            {.from = 2, .to = 3, .act = 3},
                                                            {.from = 3, .to = 3, .act = 4, .time_passes = true}});
  EXPECT_EQ(lassos(cycles), (Texts{"0: 2 3 / 4", "0: 0 / 1"}));
}

TEST(FairCycles, WhatLivesOnLuckIsNoLasso) {
  // One draw leads on, the other one out; where both stay, it counts.
  const auto drawn = [](std::uint32_t out) {
    return graph({one, nobody}, {{.from = 0, .to = 0, .act = 0, .time_passes = true},
                                 {.from = 0, .to = out, .act = 0, .time_passes = true},
                                 {.from = 1, .to = 1, .act = 1, .time_passes = true}});
  };
  EXPECT_EQ(lassos(drawn(1)), Texts{});
  EXPECT_EQ(lassos(drawn(0)), Texts{"0: / 0"});
}

TEST(FairCycles, WhatIsChosenAndNotDrawnMayAlwaysGoBadly) {
  EXPECT_EQ(lassos(graph({one, nobody}, {{.from = 0, .to = 0, .act = 0, .time_passes = true},
                                         {.from = 0, .to = 1, .act = 1, .time_passes = true}})),
            Texts{"0: / 0"});
}

TEST(FairCycles, ADrawThatLeavesTakesWithItWhatDependsOnIt) {
  // 0 goes on by way of 1, and from there by luck only.
  EXPECT_EQ(lassos(graph({one, one, nobody}, {{.from = 0, .to = 1, .act = 0, .time_passes = true},
                                              {.from = 1, .to = 0, .act = 1},
                                              {.from = 1, .to = 2, .act = 1}})),
            Texts{});
}

TEST(FairCycles, WhereNothingHappensAnyMoreTheTurnIsEmpty) {
  EXPECT_EQ(lassos(graph({nobody, one, nobody}, {{.from = 0, .to = 1, .act = 0}, {.from = 0, .to = 2, .act = 1}})),
            Texts{"0: 0 /"});
}

}  // namespace
}  // namespace lockproof::sim::fair_cycles_test
