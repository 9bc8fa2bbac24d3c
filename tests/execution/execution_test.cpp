// SPDX-License-Identifier: Apache-2.0
// What runs a scenario in the simulator and on real servers, without the command line.
#include "execution/execution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "execution/auto_strategy.hpp"
#include "execution/soak.hpp"
#include "execution/sweep.hpp"
#include "execution/trace_replay.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/parse_bounds.hpp"
#include "search/core/contention.hpp"
#include "search/fuzz/fuzz.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::execution::execution_test {
namespace {

harness::Scenario of_catalogue(const std::string& name) { return harness::load_scenario(tests::scenario_file(name)); }

harness::Bounds one_server(const harness::Scenario& scenario) {
  return harness::load_budget(LOCKPROOF_SOURCE "/scenarios/budgets/one-server.toml", scenario);
}

TEST(Execution, IsJudgedAgainstWhatTheScenarioExpects) {
  const Execution run = execute(of_catalogue("lease-outlived"), WorldKind::simulated, 1);
  EXPECT_EQ(overall(run.report.properties), check::Agreement::yes);
  EXPECT_EQ(run.report.events, run.history.events.size());
  EXPECT_NE(run.report.reproduce.find("lockproof run "), std::string::npos);
}

TEST(Execution, OfARunThatDidNotTakePlaceAllIsUnknown) {
  const Execution none = not_run(of_catalogue("lease-outlived"), WorldKind::real, 1, "the machine is gone");
  EXPECT_TRUE(none.history.events.empty());
  for (const check::ComparedFinding& c : none.report.properties) EXPECT_EQ(c.finding.verdict, check::Verdict::unknown);
}

TEST(AutoStrategy, ExploresWhatIsSmallAndFuzzesWhatIsNot) {
  const harness::Scenario scenario = of_catalogue("lease-outlived");
  harness::Bounds bounds = one_server(scenario);
  bounds.max_faults = 0;
  EXPECT_TRUE(choose({scenario, bounds, true, 1, sim::Strategy::swarm}, {}).explores);
  bounds.max_faults = 6;
  const Choice large = choose({scenario, bounds, true, 2, sim::Strategy::swarm}, {});
  EXPECT_FALSE(large.explores);
  EXPECT_NE(large.why.find("auto fuzzes (swarm)"), std::string::npos) << large.why;
}

TEST(TraceReplay, OfTheCataloguesFirstScenarioIsConfirmed) {
  const ReplayedTrace done = replay_trace(of_catalogue("lease-outlived"), 1, 2);
  EXPECT_EQ(done.report.outcome, "confirmed");
  EXPECT_TRUE(done.report.same);
  EXPECT_EQ(done.report.times, 2);
}

TEST(Sweep, StrikesNothingWhileAClientSetsUpItsConnection) {
  harness::History history;
  history.header.hosts = {{"client-1", harness::HostKind::client}, {"redis-1", harness::HostKind::server}};
  int message = 0;
  const auto sends = [&](const Command& command, const char* state) {
    harness::Event sent{.what = harness::What::send, .host = 0, .round = 1, .peer = 1, .message = ++message};
    sent.command = command;
    sent.word = state;
    history.events.push_back(sent);
    history.events.push_back({.what = harness::What::receive, .host = 0, .round = 1, .peer = 1, .message = message});
  };
  sends(Command({"INFO"}), "held");
  sends(Command({"SET", "lock", "1", "NX"}), "free");
  sends(Command({"INFO"}), "own");
  std::vector<std::string> places;
  for (const harness::EventPlace& when : events_of(history)) places.push_back(to_text(when));
  EXPECT_EQ(places, (std::vector<std::string>{"client-1 before SET free", "client-1 after SET free",
                                              "client-1 before INFO #2", "client-1 after INFO #2"}));
}

TEST(Sweep, StrikesWhatTheServersCanHaveAndWhereItMatters) {
  const std::string program = "[algorithm]\ncommand = [\"true\"]\n[servers]\n";
  const harness::Scenario on_redis = harness::parse_scenario("test.toml", program);
  const harness::Scenario on_postgres = harness::parse_scenario("test.toml", program + "postgres = 1\n");
  const auto has = [](const std::vector<std::string>& kinds, const char* kind) {
    return std::ranges::find(kinds, kind) != kinds.end();
  };
  EXPECT_EQ(sweep_kinds(on_redis), sweep_kinds());
  EXPECT_TRUE(has(sweep_kinds(on_postgres), "restart"));
  EXPECT_FALSE(has(sweep_kinds(on_postgres), "flush"));
  const harness::EventPlace inside{.actor = "client-1", .moment = harness::EventPlace::Moment::enters};
  EXPECT_EQ(struck(on_postgres, "break-connection", inside).faults.size(), 1U) << "the connection has the lock";
  EXPECT_TRUE(struck(on_redis, "break-connection", inside).faults.empty()) << "it is the same before the next command";
}

TEST(Soak, KeepsWhatViolatedSomethingAndSaysWithWhichFaults) {
  const harness::Scenario written = of_catalogue("blind-del");
  const harness::Bounds budget = one_server(written);
  harness::Scenario scenario = sim::as_written(sim::bounded(written, budget, true));
  scenario.horizon = written.horizon;
  sim::ModelFactory models;
  SoakOrder order{.scenario = &scenario, .budget = &budget};
  order.survey = sim::survey(scenario, &budget, models);
  order.go_on = [](std::uint64_t runs, std::size_t) { return runs < 200; };
  order.jobs = 4;
  order.first = true;
  order.keep = [&](std::uint64_t number, const harness::Scenario&, const harness::History& history) {
    EXPECT_FALSE(history.events.empty()) << number;
  };
  const SoakResult found = soak(order);
  ASSERT_FALSE(found.violated.empty()) << found.runs << " runs, " << found.late << " late";
  const auto& [cause, violation] = *found.violated.begin();
  EXPECT_EQ(violation.scenario.faults.size(), cause.kinds.size());
  EXPECT_EQ(drawn(order, violation.number).text, violation.scenario.text) << "the same number is the same scenario";
}

}  // namespace
}  // namespace lockproof::execution::execution_test
