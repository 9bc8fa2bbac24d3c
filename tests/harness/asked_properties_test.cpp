// SPDX-License-Identifier: Apache-2.0
// Properties that a scenario asks for by their bounds. Pins sentences of docs/semantics/properties.md.
#include "tests/harness/history_table.hpp"

namespace lockproof::check::asked_properties_test {
namespace {

harness::Scenario asking() {
  harness::Scenario scenario;
  scenario.entry = seconds(5);
  scenario.settled = seconds(5);
  scenario.early = Duration{};
  return scenario;
}

Finding entry(const std::string& table) { return every_round_enters(tests::parsed(table), asking()); }
Finding settled(const std::string& table) { return leadership_settles(tests::parsed(table), asking()); }
Finding cause(const std::string& table) { return hand_over_cause(tests::parsed(table), asking()); }

TEST(EveryRoundEnters, WhoIsNotInsideWithinTheBoundIsNamed) {
  const Finding f = entry("0 A start\n0 B start\n10 A enter\n9000 - end horizon");
  EXPECT_EQ(f.verdict, Verdict::violated);
  EXPECT_TRUE(f.what.starts_with("B wants the lock")) << f.what;
}

TEST(EveryRoundEnters, WhoGivesUpHasNotEntered) {
  const Finding f = entry("0 A start\n100 A gave-up\n200 - end finished");
  EXPECT_EQ(f.verdict, Verdict::violated);
  EXPECT_NE(f.what.find("and has given up"), std::string::npos) << f.what;
}

TEST(EveryRoundEnters, WhoDiedHasNoRound) {
  EXPECT_EQ(entry("0 A start\n100 A strike crash\n9000 - end horizon").verdict, Verdict::not_found);
}

TEST(EveryRoundEnters, AtTheBoundNothingIsDecidedYet) {
  EXPECT_EQ(entry("0 A start\n5000 - end horizon").verdict, Verdict::not_found);
  EXPECT_EQ(entry("0 A start\n5000 A enter\n9000 - end horizon").verdict, Verdict::not_found);
  EXPECT_EQ(entry("0 A start\n5001 A enter\n9000 - end horizon").verdict, Verdict::violated);
  EXPECT_EQ(entry("0 A start\n1000 - end finished").verdict, Verdict::violated);
}

TEST(LeadershipSettles, OneThatStaysIsRight) {
  EXPECT_EQ(settled("0 A enter\n100 A exit\n200 B enter\n9000 - end horizon").verdict, Verdict::not_found);
}

TEST(LeadershipSettles, AnotherOneThatEntersLaterIsAHandOver) {
  EXPECT_EQ(settled("0 A enter\n6000 A exit\n6100 B enter\n9000 - end horizon").kind, "hand-over");
  EXPECT_EQ(settled("0 A enter\n6000 A exit\n6100 A enter\n9000 - end horizon").verdict, Verdict::not_found);
}

TEST(LeadershipSettles, NobodyInsideIsVacant) {
  EXPECT_EQ(settled("0 A enter\n100 A exit\n9000 - end horizon").kind, "vacant");
}

TEST(LeadershipSettles, TwoInsideAreDivided) {
  EXPECT_EQ(settled("0 A enter\n100 B enter\n9000 - end horizon").kind, "divided");
}

TEST(LeadershipSettles, AFaultBeginsItAnew) {
  EXPECT_EQ(settled("0 A enter\n4000 A strike crash\n8000 B enter\n8900 - end horizon").verdict, Verdict::not_found);
  EXPECT_EQ(settled("0 A enter\n1000 A strike pause\n9000 A exit\n9000 B enter\n9000 A heal pause\n13000 - end horizon")
                .verdict,
            Verdict::not_found);
  EXPECT_EQ(
      settled("0 A enter\n1000 A strike pause\n2000 A heal pause\n8000 A exit\n8100 B enter\n9000 - end horizon").kind,
      "hand-over");
}

TEST(HandOverCause, AGrantBesideAnotherOneNeedsAReason) {
  const Finding f = cause("0 A granted 10s\n4000 B granted 10s");
  EXPECT_EQ(f.verdict, Verdict::violated);
  EXPECT_EQ(
      f.what,
      "B at 4.000 s was given the lock that A had, for 6.000 s more: nobody had released it, and no fault had struck");
  EXPECT_EQ(cause("0 A granted\n4000 B granted").verdict, Verdict::violated);
  EXPECT_EQ(cause("0 A granted 10s\n9000 A renewed 10s\n12000 B granted 10s").verdict, Verdict::violated);
}

TEST(HandOverCause, AReleaseAFaultOrADeadlineIsOne) {
  EXPECT_EQ(cause("0 A granted 10s\n100 A release\n200 B granted 10s").verdict, Verdict::not_found);
  EXPECT_EQ(cause("0 A granted 10s\n100 B strike pause\n200 B granted 10s").verdict, Verdict::not_found);
  EXPECT_EQ(cause("0 A granted 1s\n1000 B granted 10s").verdict, Verdict::not_found);
  EXPECT_EQ(cause("0 A granted 1s\n100 A granted 1s").verdict, Verdict::not_found);
}

TEST(HandOverCause, TheBoundIsHowEarlyItMayBe) {
  harness::Scenario scenario = asking();
  const harness::History history = tests::parsed("0 A granted 10s\n9000 B granted 10s");
  EXPECT_EQ(hand_over_cause(history, scenario).verdict, Verdict::violated);
  scenario.early = seconds(1);
  EXPECT_EQ(hand_over_cause(history, scenario).verdict, Verdict::not_found);
}

TEST(AskedFor, APropertyIsNamedOnlyWhereItsBoundIs) {
  const auto names = [](const harness::Scenario& scenario) {
    std::vector<std::string_view> all;
    for (const Property& property : properties_of(scenario)) all.push_back(property.name);
    return all;
  };
  harness::Scenario scenario;
  const auto plain = names(scenario);
  EXPECT_EQ(plain.size(), properties().size());
  scenario.settled = seconds(1);
  auto with = plain;
  with.emplace_back("leadership-settles");
  EXPECT_EQ(names(scenario), with);
}

}  // namespace
}  // namespace lockproof::check::asked_properties_test
