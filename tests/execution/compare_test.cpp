// SPDX-License-Identifier: Apache-2.0
// Comparisons of two locks: when a cause is the same, whose faults are asked about, and what a row says.
#include "execution/compare/compare.hpp"

#include "execution/compare/not_in.hpp"
#include "execution/compare/side_search.hpp"
#include "harness/input_error.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::execution::compare_test {
namespace {

using harness::Spot;
using harness::Stage;
using Side = harness::ComparedRow::Side;

const Spot holding{Stage::holding, ""}, at_get{Stage::asking, "GET"}, at_set{Stage::asking, "SET"};

StruckFault pause(std::optional<Spot> spot = {}, std::string verb = "") {
  return {"pause (client)", "pause 7s (client)", "7s", std::move(spot), {}, std::move(verb)};
}
StruckFault delay(std::optional<Spot> spot = {}) { return {"delay (server)", "delay 1s (server)", "1s", spot, {}, ""}; }

SideCause cause(std::vector<StruckFault> faults, sim::ViolationKind violation = {"mutual-exclusion", "outlived"}) {
  SideCause made;
  made.cause.violation = std::move(violation);
  made.faults = std::move(faults);
  return made;
}

bool is_same(const SideCause& one, const SideCause& known, const std::vector<StruckFault>& parts = {}) {
  return same_cause(one, {known}, parts) != nullptr;
}

TEST(SameCause, IsOneByTheSameFaultAtTheSamePlace) {
  EXPECT_TRUE(is_same(cause({pause(holding)}), cause({pause(holding)})));
  EXPECT_FALSE(is_same(cause({pause(holding)}), cause({pause(at_get)}), {pause(at_get)}));
  EXPECT_FALSE(is_same(cause({pause(holding)}), cause({delay(holding)})));
  EXPECT_TRUE(is_same(cause({}), cause({})));
}

TEST(SameCause, IsOneOfTheSamePropertyThatIsAtLeastAsBad) {
  const SideCause outlived = cause({pause()}, {"mutual-exclusion", "outlived"});
  EXPECT_FALSE(is_same(outlived, cause({pause()}, {"owner-release", "outlived"})));
  EXPECT_TRUE(is_same(outlived, cause({pause()}, {"mutual-exclusion", "double-grant"})));  // the worse one
  EXPECT_FALSE(is_same(cause({pause()}, {"mutual-exclusion", "double-grant"}), outlived));
}

TEST(SameCause, MayTakeFewerFaultsAndNeverMore) {
  EXPECT_TRUE(is_same(cause({pause(), delay()}), cause({pause()})));
  EXPECT_TRUE(is_same(cause({pause(), delay()}), cause({})));
  EXPECT_FALSE(is_same(cause({pause()}), cause({pause(), delay()})));
  EXPECT_TRUE(is_same(cause({pause(), delay()}), cause({delay(), pause()})));
  EXPECT_FALSE(is_same(cause({pause(), delay()}), cause({pause(), pause()})));  // one pause is not two
}

TEST(SameCause, ComparesPlacesThatTheOtherLockDoesNotHaveByTheStage) {
  EXPECT_TRUE(is_same(cause({pause(at_get)}), cause({pause(at_set)}), {pause(at_set)}));
  EXPECT_FALSE(is_same(cause({pause(at_get)}), cause({pause(at_set)}), {pause(at_set), pause(at_get)}));
  EXPECT_FALSE(is_same(cause({pause(at_get)}), cause({pause(holding)}), {pause(holding)}));
}

TEST(SameCause, ComparesAFaultThatIsNotPlacedByTheCommandOfItsWitness) {
  StruckFault elsewhere = pause({}, "GET");
  elsewhere.elsewhere = {holding};
  EXPECT_TRUE(is_same(cause({pause(at_get)}), cause({elsewhere})));
  EXPECT_FALSE(is_same(cause({pause(at_set)}), cause({elsewhere})));
  EXPECT_TRUE(is_same(cause({elsewhere}), cause({pause(at_get)})));
  EXPECT_FALSE(is_same(cause({elsewhere}), cause({pause(at_set)})));
  EXPECT_TRUE(is_same(cause({pause(at_set)}), cause({pause()})));  // anywhere is everywhere
}

TEST(SameCause, PrefersTheOneThatIsExactlySo) {
  const std::vector<SideCause> known{cause({}), cause({pause(holding)})};
  EXPECT_EQ(same_cause(cause({pause(holding)}), known, {}), &known[1]);
  EXPECT_EQ(same_cause(cause({delay()}), known, {}), &known[0]);
  EXPECT_EQ(same_cause(cause({pause()}, {"owner-release", ""}), known, {}), nullptr);
}

ComparedSide side(const std::string& text, const std::string& algorithm = "set-px-token") {
  return {algorithm, tests::scenario("[workload]\nlease = \"2s\"\nwork = [\"hold 1s\"]\n" + text, algorithm)};
}

const std::string pauses = "[[explore.fault]]\nkind = \"pause\"\ntarget = \"clients\"\nfor = \"3s\"\n";
const std::string crashes = "[[explore.fault]]\nkind = \"crash\"\ntarget = \"clients\"\n";

TEST(ChosenBounds, AreTheFaultsOfBothAndTheLimitsOfTheFirst) {
  QuestionPair question{"", side("[explore]\nattempts = 1\n" + pauses), side("[explore]\nattempts = 3\n" + crashes),
                        ""};
  choose_bounds(question);
  EXPECT_EQ(question.bounds_of, "[explore]");
  EXPECT_EQ(question.a.bounds.attempts, 1);
  EXPECT_EQ(question.b.bounds.attempts, 1);
  EXPECT_EQ(question.a.bounds.budget.size(), 2U);
  EXPECT_EQ(question.b.bounds.budget.size(), 2U);
}

TEST(ChosenBounds, AreTheFaultsThatAreWrittenWhereNothingIsToBeSearched) {
  const std::string written = "[[fault]]\nkind = \"pause\"\ntarget = \"client-1\"\nat = \"100ms\"\nfor = \"3s\"\n";
  QuestionPair question{"", side(written), side(""), ""};
  choose_bounds(question);
  EXPECT_EQ(question.bounds_of, "the scenarios' own faults, anywhere");
  ASSERT_EQ(question.b.bounds.budget.size(), 1U);
  EXPECT_EQ(question.b.bounds.budget.front().forms.size(), 2U);  // of any client
  EXPECT_EQ(question.b.bounds.max_faults, 1);
}

TEST(ChosenBounds, AreUsualOnesWhereNobodyNamesAFault) {
  QuestionPair question{"", side(""), side(""), ""};
  choose_bounds(question);
  EXPECT_EQ(question.bounds_of, "the faults that frontier asks about");
  EXPECT_FALSE(question.a.bounds.budget.empty());
}

TEST(ChosenBounds, RefuseHostsThatTheOtherOneDoesNotHave) {
  const std::string own = "[explore]\n[[explore.fault]]\nkind = \"crash\"\ntarget = \"client-3\"\n";
  QuestionPair question{"", side("clients = 3\n" + own), side(""), ""};
  EXPECT_THROW(choose_bounds(question), harness::InputError);
}

TEST(QuestionPairs, AskBothLocksAboutTheSameFaults) {
  for (const QuestionPair& pair : question_pairs({find_algorithm("set-px-token")}, {find_algorithm("fenced-token")})) {
    EXPECT_EQ(pair.a.bounds.budget.size(), pair.b.bounds.budget.size()) << pair.world;
    EXPECT_TRUE(pair.a.alone && pair.b.alone);
  }
}

harness::ComparedReport compared(const ComparedSide& a, const ComparedSide& b, search::Limits limits = {}) {
  QuestionPair question{"", a, b, ""};
  choose_bounds(question);
  return compare({question}, {.limits = std::move(limits), .tell = {}});
}

const std::string small = "[explore]\nattempts = 1\ncontention = \"as-written\"\n";

TEST(Compare, ALockIsNoWorseThanItself) {
  const harness::ComparedReport report = compared(side(small + pauses), side(small));
  ASSERT_FALSE(report.rows.empty());
  for (const harness::ComparedRow& row : report.rows) EXPECT_EQ(row.side, Side::both) << row.place;
  EXPECT_EQ(report.is_no_worse(), true);
}

TEST(Compare, SaysWhichSideBreaks) {
  const std::string once = "[explore]\nattempts = 1\n";
  const ComparedSide careful = side(once + pauses), careless = side(once, "set-ex-del");
  const auto breaks = [](const harness::ComparedReport& report, Side on) {
    return std::ranges::any_of(report.rows, [&](const harness::ComparedRow& row) {
      return row.side == on && std::ranges::find(row.breaks, "owner-release") != row.breaks.end();
    });
  };
  const harness::ComparedReport worse = compared(careful, careless), better = compared(careless, careful);
  EXPECT_TRUE(breaks(worse, Side::only_b));
  EXPECT_EQ(worse.is_no_worse(), false);
  EXPECT_TRUE(breaks(better, Side::only_a));
  EXPECT_EQ(better.is_no_worse(), true);
}

TEST(Compare, CallsNothingFreeThatWasNotSearched) {
  const harness::ComparedReport report = compared(side(small + pauses), side(small, "set-ex-del"), {.work = 5});
  for (const harness::ComparedRow& row : report.rows) {
    EXPECT_TRUE(row.side != Side::only_a && row.side != Side::only_b) << row.faults;
  }
  EXPECT_EQ(report.is_no_worse(), std::nullopt);
  EXPECT_TRUE(std::ranges::any_of(report.gaps, &harness::ComparedGap::decisive));
}

TEST(NotIn, TellsWhatBecomesOfTheOther) {
  QuestionPair question{"", side("[explore]\nattempts = 1\n" + pauses, "set-ex-del"), side(small), ""};
  choose_bounds(question);
  const harness::NotInReport report = find_not_in(question, {.limits = {}, .folder = "", .tell = {}});
  const auto fate_of = [&](const std::string& property) {
    const auto found = std::ranges::find(report.causes, property, &harness::NotInCause::property);
    return found == report.causes.end() ? std::nullopt : std::optional(found->fate);
  };
  EXPECT_EQ(fate_of("owner-release"), harness::NotInCause::Fate::not_in_b);
  EXPECT_EQ(fate_of("mutual-exclusion"), harness::NotInCause::Fate::in_b);
}

TEST(NotIn, DoesNotCompareHostsThatTheOtherDoesNotHave) {
  Cause of_a;
  of_a.violation = {"mutual-exclusion", "outlived"};
  of_a.witness.faults.emplace_back().target = "client-7";
  harness::NotInCause fate;
  decide_fate(side(small), of_a, {}, fate);
  EXPECT_EQ(fate.fate, harness::NotInCause::Fate::not_comparable);
  EXPECT_EQ(fate.why, "B has no client-7");
}

TEST(PartsOfASide, AreItsBudgetFaultByFault) {
  ComparedSide both = side(small + pauses + crashes);
  both.bounds = both.scenario.explore.value();
  both.bounds.max_faults = 1;
  std::vector<std::string> texts;
  for (const NamedPart& part : parts_of(both)) texts.push_back(part.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"pause 3 s (client)", "crash"}));
  both.bounds.budget.clear();
  EXPECT_EQ(parts_of(both).at(0).text, "no fault");
}

}  // namespace
}  // namespace lockproof::execution::compare_test
