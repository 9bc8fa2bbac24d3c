// SPDX-License-Identifier: Apache-2.0
// A question that is searched in parts has the answer of the whole: over locks of the catalogue, with one fault and
// with two; and runs are drawn first where the space is large.
#include "search/results/parts.hpp"

#include <chrono>
#include <stop_token>
#include <thread>

#include "algorithms/catalogue.hpp"
#include "search/engines/either_engine.hpp"
#include "search/part_searches.hpp"
#include "search/verdicts.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::parts_test {
namespace {

const char* const world =
    "[workload]\nlease = \"4s\"\nwork = [\"read\", \"hold 2s\", \"write\"]\n"
    "[network]\ntimeout = \"500ms\"\n[explore]\nattempts = 2\nretry = \"T/2\"\n";
const char* const few_kinds =
    "[[explore.fault]]\nkind = \"pause\"\nfor = [\"T/2\", \"T+grid\"]\n"
    "[[explore.fault]]\nkind = \"crash\"\n"
    "[[explore.fault]]\nkind = \"half-open\"\n";
const char* const more_kinds =
    "[[explore.fault]]\nkind = \"clock-jump\"\nby = [\"T/2\", \"T\"]\n"
    "[[explore.fault]]\nkind = \"delay\"\nby = \"T\"\n"
    "[[explore.fault]]\nkind = \"restart\"\nfor = [\"timeout-grid\", \"T\"]\n"
    "[[explore.fault]]\nkind = \"flush\"\n";

struct Case {
  harness::Scenario scenario;
  harness::Bounds bounds;
};

Case case_of(const std::string& algorithm, const std::string& faults, int max_faults) {
  const std::string most = "max_faults = " + std::to_string(max_faults) + "\n";
  const harness::Scenario scenario = tests::scenario(world + most + faults, algorithm);
  return {bounded(scenario, *scenario.explore, true), *scenario.explore};
}

Exploration search_parts(const Case& of, const Limits& limits) {
  PartsSum sum(of.bounds);
  for (const Part& part : parts_of(of.scenario, of.bounds)) {
    sum.add(part, explore_with_either(of.scenario, part.bounds, limits).found);
  }
  return sum.take();
}

std::map<ViolationKind, std::pair<int, int>> fewest(const Exploration& found) {
  std::map<ViolationKind, std::pair<int, int>> all;
  for (const auto& [way, broken] : found.broken) all[way] = {broken.faults, broken.depth};
  return all;
}

std::set<std::pair<ViolationKind, std::vector<int>>> fault_sets(const Exploration& found) {
  std::set<std::pair<ViolationKind, std::vector<int>>> all;
  for (const auto& [with, broken] : found.by_faults) all.insert(with);
  return all;
}

void expect_answer_of_whole(const Case& of) {
  const Limits limits{.exchange = true, .written_first = true, .by_faults = true};
  const Exploration whole = explore_with_either(of.scenario, of.bounds, limits).found;
  const Exploration parts = search_parts(of, limits);
  ASSERT_TRUE(whole.complete && parts.complete) << whole.stopped << parts.stopped;
  EXPECT_EQ(fewest(whole), fewest(parts));
  EXPECT_EQ(fault_sets(whole), fault_sets(parts));
  EXPECT_EQ(whole.judged, parts.judged);
  EXPECT_EQ(whole.of_budget, parts.of_budget);
  EXPECT_EQ(whole.contended, parts.contended);
  for (const auto& [way, broken] : parts.broken) {
    EXPECT_TRUE(counterexample(of.scenario, of.bounds, way.first, way.second, broken, of.scenario.horizon))
        << way.first << " " << way.second;
  }
}

TEST(Parts, OfOneFaultHaveTheAnswerOfTheWhole) {
  for (const char* const lock : {"set-px-token", "setnx-del"}) {
    SCOPED_TRACE(lock);
    expect_answer_of_whole(case_of(lock, few_kinds, 1));
  }
}

TEST(Parts, OfTwoFaultsHaveTheAnswerOfTheWhole) {
  Case of = case_of("set-px-token", few_kinds, 2);
  of.bounds.contention = harness::Contention::as_written;
  of.scenario = bounded(of.scenario, of.bounds, true);
  expect_answer_of_whole(of);
  of.bounds.budget[0].most = 2;
  expect_answer_of_whole(of);
}

TEST(Parts, KeepTogetherWhatIsDoneToInterchangeableClients) {
  const Case of = case_of("set-px-token", "[[explore.fault]]\nkind = \"pause\"\nfor = [\"1s\", \"2s\"]\n", 1);
  std::vector<std::size_t> forms;
  for (const Part& part : parts_of(of.scenario, of.bounds)) forms.push_back(part.bounds.budget.at(0).forms.size());
  EXPECT_EQ(forms, (std::vector<std::size_t>{2, 2, 1, 1})) << "two clients, or one server, and two lengths";
}

/// A server that keeps nothing, or everything, has the same after a restart as after a power cut.
TEST(Parts, AnswerFaultsOfEqualEffectOnce) {
  const std::string ends = "for = [\"4ms\", \"2s\"]\n";
  const std::string both =
      "[[explore.fault]]\nkind = \"restart\"\n" + ends + "[[explore.fault]]\nkind = \"power-cut\"\n" + ends;
  Case of = case_of("set-px-token", both.c_str(), 1);
  for (const auto persistence : {harness::Persistence::none, harness::Persistence::aof_always}) {
    of.scenario.servers.front().persistence = persistence;
    const std::vector<Part> parts = parts_of(of.scenario, of.bounds);
    const auto equal = equal_parts(of.scenario, parts);
    const Limits limits{.exchange = true, .written_first = true, .by_faults = true};
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const bool cuts = parts[part].bounds.budget.front().kind == harness::FaultKind::power_cut;
      ASSERT_EQ(equal[part].has_value(), cuts);
      if (!cuts) continue;
      EXPECT_EQ(parts[*equal[part]].bounds.budget.front().kind, harness::FaultKind::restart);
      const Exploration restart = explore_with_either(of.scenario, parts[*equal[part]].bounds, limits).found;
      const Exploration cut = explore_with_either(of.scenario, parts[part].bounds, limits).found;
      EXPECT_EQ(fewest(restart), fewest(cut));
      EXPECT_EQ(restart.states, cut.states);
      EXPECT_EQ(restart.transitions, cut.transitions);
      EXPECT_EQ(restart.judged, cut.judged);
    }
    const search::Limits no_limits;
    std::vector<search::PartResult> results;
    const Exploration once = search::PartSearches(of.scenario, parts, limits, no_limits).run(of.bounds, results);
    const Exploration each = search_parts(of, limits);
    EXPECT_EQ(fewest(once), fewest(each));
    EXPECT_EQ(fault_sets(once), fault_sets(each));
    EXPECT_EQ(once.of_budget, each.of_budget);
    EXPECT_EQ(once.states * 2, each.states);
    for (const auto& [with, broken] : once.by_faults) {
      EXPECT_TRUE(
          counterexample(of.scenario, of.bounds, with.first.first, with.first.second, broken, of.scenario.horizon));
    }
  }
  of.scenario.servers.front().persistence = harness::Persistence::aof_everysec;
  for (const auto& equal : equal_parts(of.scenario, parts_of(of.scenario, of.bounds)))
    EXPECT_FALSE(equal) << "a power cut loses the last second";
}

/// Services without a choice of persistence keep nothing, or everything, whatever ends them.
TEST(Parts, AnswerFaultsOfEqualEffectOnceWithoutPersistence) {
  const char* const both =
      "[[explore.fault]]\nkind = \"restart\"\nfor = \"4ms\"\n[[explore.fault]]\nkind = \"power-cut\"\nfor = \"4ms\"\n";
  for (const char* const lock : {"memcached-add", "postgres-advisory"}) {
    const Case of = case_of(lock, both, 1);
    const std::vector<Part> parts = parts_of(of.scenario, of.bounds);
    const auto equal = equal_parts(of.scenario, parts);
    const Limits limits{.exchange = true, .written_first = true, .by_faults = true};
    std::size_t compared = 0;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (!equal[part]) continue;
      const Exploration restart = explore_with_either(of.scenario, parts[*equal[part]].bounds, limits).found;
      const Exploration cut = explore_with_either(of.scenario, parts[part].bounds, limits).found;
      EXPECT_EQ(fewest(restart), fewest(cut)) << lock;
      EXPECT_EQ(restart.states, cut.states) << lock;
      EXPECT_EQ(restart.transitions, cut.transitions) << lock;
      ++compared;
    }
    EXPECT_EQ(2 * compared, parts.size()) << lock << ": each power cut is a restart";
  }
}

TEST(Parts, OfTwoFaultsRespectHowOftenAnEntryMayStrike) {
  Case of = case_of("set-px-token", "[[explore.fault]]\nkind = \"flush\"\n[[explore.fault]]\nkind = \"crash\"\n", 2);
  EXPECT_EQ(parts_of(of.scenario, of.bounds).size(), 1u) << "each may strike once: flush and crash";
  of.bounds.budget[0].most = 2;
  EXPECT_EQ(parts_of(of.scenario, of.bounds).size(), 2u) << "flush twice";
}

/// Of a space that is too large for the limit, a drawn run shows a violation.
TEST(Question, DrawsRunsBeforeALargeSearch) {
  search::Question question;
  question.scenario = tests::scenario(std::string(world) + "max_faults = 2\n" + few_kinds + more_kinds, "set-px-token");
  question.bounds = *question.scenario.explore;
  question.alone = true;
  search::Answer answer = search::answer(question, {.work = 25'000, .workers = 2});
  EXPECT_EQ(answer.end, search::End::limit);
  EXPECT_EQ(answer.drawn, 1000u);
  EXPECT_FALSE(answer.parts.empty());
  search::enact_all(answer, question, {});
  EXPECT_TRUE(answer.counterexamples.contains({"mutual-exclusion", "outlived"}));
  for (const check::Finding& finding : search::findings_of(answer)) {
    EXPECT_NE(finding.verdict, check::Verdict::holds) << finding.property;
  }
}

TEST(Question, MayDrawRunsLastForWhatIsOpenAlone) {
  search::Question question;
  question.scenario = tests::scenario(std::string(world) + few_kinds + more_kinds, "set-px-token");
  question.bounds = *question.scenario.explore;
  question.alone = question.draws_last = true;
  EXPECT_EQ(search::answer(question, {.work = 1'000'000}).drawn, 0u) << "it was searched whole";
  question.small_first = false;
  const search::Answer one = search::answer(question, {.work = 2'000}),
                       three = search::answer(question, {.work = 2'000, .workers = 3});
  EXPECT_EQ(one.end, search::End::limit);
  EXPECT_GT(one.drawn, 0u);
  EXPECT_LT(one.drawn, 1000u) << "its events are work, too";
  EXPECT_EQ(one.drawn, three.drawn);
  EXPECT_EQ(fewest(one.found), fewest(three.found));
}

TEST(Question, HasTheSameAnswerWithAnyNumberOfWorkers) {
  search::Question question;
  question.scenario = tests::scenario(std::string(world) + few_kinds + more_kinds, "set-px-token");
  question.bounds = *question.scenario.explore;
  question.alone = true;
  const search::Answer one = search::answer(question, {.workers = 1}), three = search::answer(question, {.workers = 3});
  EXPECT_EQ(one.found.complete, three.found.complete);
  EXPECT_EQ(one.found.states, three.found.states);
  EXPECT_EQ(one.found.transitions, three.found.transitions);
  EXPECT_EQ(fewest(one.found), fewest(three.found));
}

TEST(Question, EndsAtALimitOfPathsWithAnyNumberOfWorkers) {
  search::Question question;
  question.scenario = tests::scenario(std::string(world) + "max_faults = 3\n" + few_kinds + more_kinds, "set-px-token");
  question.bounds = *question.scenario.explore;
  question.alone = true;
  question.in_parts = question.estimates = false;
  for (const std::uint64_t paths : {500u, 3000u}) {
    const search::Answer one = search::answer(question, {.paths = paths, .workers = 1});
    const search::Answer three = search::answer(question, {.paths = paths, .workers = 3});
    EXPECT_EQ(one.end, search::End::limit);
    EXPECT_GT(one.found.states, 100u) << "it ends among its states";
    EXPECT_EQ(one.found.states, three.found.states) << paths;
    EXPECT_EQ(one.found.transitions, three.found.transitions) << paths;
    EXPECT_EQ(one.found.of_budget, three.found.of_budget) << paths;
    EXPECT_EQ(one.found.outcomes, three.found.outcomes) << paths;
    EXPECT_EQ(fewest(one.found), fewest(three.found)) << paths;
  }
  std::stop_source stop;
  std::jthread soon([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  const search::Answer stopped = search::answer(question, {.stop = stop.get_token()});
  EXPECT_FALSE(stopped.found.complete);
}

class PartsOfCatalogue : public testing::TestWithParam<std::string> {};

TEST_P(PartsOfCatalogue, HaveTheAnswerOfTheWhole) {
  expect_answer_of_whole(case_of(GetParam(), std::string(few_kinds) + more_kinds, 1));
}

std::vector<std::string> locks_of_one_server() {
  std::vector<std::string> names;
  for (const Algorithm& one : catalogue()) {
    if (one.service == Service::redis && one.servers == Servers::one) names.emplace_back(one.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Locks, PartsOfCatalogue, testing::ValuesIn(locks_of_one_server()),
                         [](const auto& of) { return tests::as_test_name(of.param); });

}  // namespace
}  // namespace lockproof::sim::parts_test
