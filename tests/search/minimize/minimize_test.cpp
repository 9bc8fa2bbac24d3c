// SPDX-License-Identifier: Apache-2.0
// minimize drops what a violation does not need, keeps what it does, and says what it has shown.
#include "search/minimize/minimize.hpp"

#include <set>

#include "harness/scenario/file/write.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::minimize_test {
namespace {

using harness::FaultKind;
using std::string;

const ViolationKind outlived{"mutual-exclusion", "outlived"};

/// A holder that would be inside for 2 s of its lease of 10 s, and one who waits.
const string two_clients = R"(
[workload]
lease = "10s"
attempts = 4
retry = "5s"
work = ["hold 2s"]
[[client]]
name = "client-2"
start = "1s"
)";

string fault(const string& kind, const string& target, const string& when, const string& more = "") {
  return "[[fault]]\nkind = \"" + kind + "\"\ntarget = \"" + target + "\"\nwhen = \"" + when + "\"\n" + more;
}
const string needed_pause = fault("pause", "client-1", "client-1 enters", "for = \"11s\"\n");

Minimization smallest(const harness::Scenario& scenario, const string& property = "", const MinimizeOrder& order = {}) {
  Minimum minimum = minimize(scenario, property, order);
  EXPECT_TRUE(minimum.found);
  return minimum.found ? *std::move(minimum.found) : Minimization();
}

std::multiset<FaultKind> kinds(const Minimization& found) {
  std::multiset<FaultKind> all;
  for (const harness::Fault& fault : found.shown.scenario.faults) all.insert(fault.kind);
  return all;
}

/// Its run breaks the property in the way that was looked for.
void expect_runs(const Minimization& found) {
  harness::Scenario read = harness::parse_scenario("minimal.toml", to_toml(found.shown.scenario));
  const check::Finding finding = tests::judged(tests::run(read), read, found.way.first);
  EXPECT_EQ(finding.verdict, check::Verdict::violated);
  EXPECT_EQ(finding.kind, found.way.second);
  EXPECT_EQ(events_until(read, found.way), found.after.events);
}

TEST(Minimize, DropsAFaultThatWasPlanted) {
  const Minimization found = smallest(
      tests::scenario(two_clients + fault("delay", "client-2", "client-2 before SET", "by = \"20ms\"\n") +
                      needed_pause + fault("clock-jump", "client-2", "client-2 before SET", "by = \"+3s\"\n")));
  EXPECT_EQ(found.way, outlived);
  EXPECT_EQ(kinds(found), std::multiset{FaultKind::pause});
  EXPECT_EQ(found.before.faults, 3u);
  EXPECT_EQ(found.after.faults, 1u);
  EXPECT_LE(found.after.events, found.before.events);
  std::size_t dropped = 0;
  for (const Change& change : found.changes) dropped += change.part == "fault" && change.to.empty();
  EXPECT_EQ(dropped, 2u);
  expect_runs(found);
}

/// Neither pause is as long as the lease; both are.
TEST(Minimize, KeepsTwoFaultsThatAreNeededTogether) {
  const string work =
      "[workload]\nlease = \"10s\"\nattempts = 4\nretry = \"5s\"\nwork = [\"read\", \"hold 1s\", \"write\"]\n";
  const Minimization found =
      smallest(tests::scenario(work + fault("crash", "client-2", "client-2 exits") +
                               fault("pause", "client-1", "client-1 before READ", "for = \"6s\"\n") +
                               fault("pause", "client-1", "client-1 before WRITE", "for = \"6s\"\n")),
               "mutual-exclusion");
  EXPECT_EQ(kinds(found), (std::multiset{FaultKind::pause, FaultKind::pause}));
  std::size_t hold = 0;
  for (const NecessityTrial& needed : found.needed) hold += needed.of_fault && needed.answer == Answer::holds;
  EXPECT_EQ(hold, 3u) << "without the one, without the other, with one of them wherever it strikes";
  expect_runs(found);
}

/// client-2 asks at 0 s, 5 s, 10 s: of the server's clock the lease ends after 10.001 s.
TEST(Minimize, ADurationShrinksToItsBoundaryAndNotUnderIt) {
  const Minimization found = smallest(tests::scenario(two_clients + needed_pause));
  ASSERT_EQ(found.shown.scenario.faults.size(), 1u);
  harness::Scenario scenario = found.shown.scenario;
  const Duration boundary = scenario.faults[0].lasts;
  EXPECT_LE(boundary, seconds(11));
  Trials trials(found.way, {});
  EXPECT_EQ(trials.fixed(scenario, found.after.events).answer, Answer::breaks);
  scenario.faults[0].lasts = boundary - milliseconds(1);
  const Answer under = trials.fixed(scenario, found.after.events).answer;
  EXPECT_TRUE(under == Answer::holds || under == Answer::longer);
  ASSERT_EQ(found.needed.size(), 2u);
  const Answer ever = trials.fixed(scenario).answer;
  EXPECT_EQ(found.needed[1].answer, ever == Answer::breaks ? Answer::longer : ever);
  expect_runs(found);
}

TEST(Minimize, AThirdClientAndMoreRoundsAreDropped) {
  harness::Scenario scenario = tests::scenario(
      "[workload]\nclients = 3\nrounds = 2\nlease = \"10s\"\nattempts = 4\nretry = \"5s\"\nwork = [\"hold 2s\"]\n" +
      fault("pause", "client-3", "client-3 enters", "for = \"15s\"\n"));
  const Minimization found = smallest(scenario);
  ASSERT_EQ(found.shown.scenario.clients.size(), 2u);
  for (const harness::ClientSpec& client : found.shown.scenario.clients) EXPECT_EQ(client.plan.rounds, 1);
  EXPECT_EQ(found.shown.scenario.faults.at(0).target, "client-2") << "renamed";
  expect_runs(found);
}

TEST(Minimize, AWindowOfLatenciesCloses) {
  const Minimization found =
      smallest(tests::scenario(two_clients + "[network]\nlatency = [\"1ms\", \"4ms\"]\n" + needed_pause));
  const harness::Window latency = found.shown.scenario.network.latency;
  EXPECT_EQ(latency.least, latency.most);
  expect_runs(found);
}

/// The run of its seed is quiet: client-2 comes first, so that client-1 enters too late to be in anybody's way.
TEST(Minimize, AnotherScheduleWillDo) {
  const string text = R"(
[workload]
lease = "10s"
attempts = 2
retry = "10s"
work = ["hold 2s"]
)";
  harness::Scenario scenario = tests::scenario(text + needed_pause);
  const auto quiet = [&] {
    return tests::judged(tests::run(scenario, scenario.seed), scenario, "mutual-exclusion").verdict !=
           check::Verdict::violated;
  };
  while (!quiet()) ++scenario.seed;
  const Minimization found = smallest(scenario);
  EXPECT_FALSE(found.by_its_run);
  EXPECT_EQ(found.way, outlived);
  expect_runs(found);
}

TEST(Minimize, WhatViolatesNothingIsLeftAlone) {
  const Minimum minimum = minimize(tests::scenario(two_clients), "", {});
  EXPECT_FALSE(minimum.found);
  EXPECT_EQ(minimum.other_schedules, Answer::holds);
  const Minimum other = minimize(tests::scenario(two_clients + needed_pause), "owner-release", {});
  EXPECT_FALSE(other.found) << "it breaks another property";
}

TEST(Minimize, ABoundOnProgressIsAPropertyToo) {
  const Minimization found =
      smallest(tests::scenario("[workload]\nacquire_timeout = \"100s\"\n[[client]]\nname = \"client-2\"\nstart = "
                               "\"1s\"\n[judge]\nprogress = \"30s\"\n" +
                                   fault("clock-jump", "client-2", "client-2 before SETNX", "by = \"+1s\"\n") +
                                   fault("crash", "client-1", "client-1 enters"),
                               "setnx-del"));
  EXPECT_EQ(found.way.first, "deadlock-freedom");
  EXPECT_EQ(kinds(found), std::multiset{FaultKind::crash});
  expect_runs(found);
}

TEST(Minimize, TheSameBytesWithAnyNumberOfWorkers) {
  const harness::Scenario scenario = tests::scenario(two_clients + "[network]\nlatency = [\"1ms\", \"3ms\"]\n" +
                                                     needed_pause + fault("crash", "client-2", "client-2 exits"));
  MinimizeOrder two;
  two.limits.workers = 2;
  const Minimization one = smallest(scenario), other = smallest(scenario, "", two);
  EXPECT_EQ(to_toml(one.shown.scenario), to_toml(other.shown.scenario));
  EXPECT_EQ(one.states, other.states);
  EXPECT_EQ(one.changes, other.changes);
}

/// With so few states nothing can be shown to hold, and nothing is claimed to.
TEST(Minimize, AnUndecidedCandidateIsNoViolation) {
  MinimizeOrder few;
  few.limits.work = 1;
  const Minimization found = smallest(tests::scenario(two_clients + needed_pause), "", few);
  EXPECT_GT(found.undecided, 0u);
  EXPECT_EQ(kinds(found), std::multiset{FaultKind::pause});
  for (const NecessityTrial& needed : found.needed) EXPECT_NE(needed.answer, Answer::holds) << needed.what;
  expect_runs(found);
}

TEST(Minimize, StopsWithTheSmallestSoFar) {
  for (const int asked : {0, 1, 5, 20}) {
    MinimizeOrder order;
    int left = asked;
    order.limits.go_on = [&](const Progress&) { return left-- > 0; };
    const Minimization found = smallest(tests::scenario(two_clients + needed_pause), "", order);
    EXPECT_TRUE(found.stopped);
    EXPECT_LE(found.after.events, found.before.events);
    expect_runs(found);
  }
}

TEST(Shrink, LeastThatDoesNotTrustMonotony) {
  const auto least = [](std::int64_t most, const std::function<bool(std::int64_t)>& breaks) {
    return least_that(1, most, [&](std::int64_t value) {
      EXPECT_LT(value, most) << "which is known";
      return breaks(value);
    });
  };
  EXPECT_EQ(least(1000, [](auto n) { return n >= 377; }), 377);
  EXPECT_EQ(least(1000, [](auto) { return true; }), 1);
  EXPECT_EQ(least(1000, [](auto) { return false; }), 1000);
  EXPECT_EQ(least(1000, [](auto n) { return (n >= 30 && n < 40) || n > 900; }), 30) << "a power of two lies in it";
  EXPECT_EQ(least(1000, [](auto n) { return (n >= 600 && n < 700) || n > 900; }), 600) << "an eighth lies in it";
  const auto island = [](auto n) { return (n > 250 && n < 256) || n == 1000; };
  EXPECT_EQ(least(1000, island), 1000) << "what lies between two samples is not seen, and not claimed";
  EXPECT_EQ(least(1, [](auto) { return true; }), 1);
}

TEST(Shrink, DdminKeepsWhatIsNeeded) {
  for (const Subset& needed : {Subset{}, Subset{0}, Subset{7}, Subset{2, 5}, Subset{0, 3, 9}, Subset{1, 2, 3, 4}}) {
    const auto breaks = [&](const Subset& kept) { return std::ranges::includes(kept, needed); };
    EXPECT_EQ(ddmin(10, breaks), needed);
  }
  EXPECT_EQ(ddmin(0, [](const Subset&) { return true; }), Subset{});
}

TEST(Shrink, SubsetsComeInOrder) {
  EXPECT_EQ(subsets(3, 0), (std::vector<Subset>{{}}));
  EXPECT_EQ(subsets(3, 2), (std::vector<Subset>{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(subsets(2, 2), (std::vector<Subset>{{0, 1}}));
  EXPECT_TRUE(subsets(2, 3).empty());
  EXPECT_EQ(subsets(6, 3).size(), 20u);
}

}  // namespace
}  // namespace lockproof::sim::minimize_test
