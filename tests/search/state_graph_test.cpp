// SPDX-License-Identifier: Apache-2.0
// The graph of what a search has visited, as it is drawn.
#include "search/results/state_graph.hpp"

#include "search/core/contention.hpp"
#include "search/reexecution/reexecution_engine.hpp"
#include "tests/fixtures.hpp"

namespace lockproof::sim::state_graph_test {
namespace {

StateGraph searched(const std::string& text, const std::string& algorithm, Exploration& found) {
  harness::Scenario scenario = tests::scenario("[workload]\nlease = \"2s\"\nwork = [\"hold 1s\"]\n" + text, algorithm);
  const harness::Bounds bounds = scenario.explore.value();
  scenario = as_written(bounded(scenario, bounds, false));
  StateGraph graph;
  found = explore_by_reexecution(scenario, bounds, {.workers = 2, .graph = &graph});
  return graph;
}

std::size_t count(const std::string& text, const std::string& of) {
  std::size_t found = 0;
  for (std::size_t at = text.find(of); at != std::string::npos; at = text.find(of, at + of.size())) ++found;
  return found;
}

/// From one number to another; in labels there are arrows from name to name.
std::size_t edges(const std::string& dot) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t found = 0;
  for (std::size_t at = dot.find("->"); at != std::string::npos; at = dot.find("->", at + 2)) {
    found += at > 0 && is_digit(dot[at - 1]) && is_digit(dot.at(at + 2));
  }
  return found;
}

TEST(StateGraph, HasEveryStateAndEveryTransition) {
  Exploration found;
  const StateGraph graph =
      searched("[explore]\nattempts = 2\n[[explore.fault]]\nkind = \"pause\"\nfor = \"3s\"\n", "set-px-token", found);
  const std::string dot = graph.dot("a \"title\"");
  EXPECT_EQ(graph.states().size(), found.states);
  EXPECT_EQ(count(dot, "peripheries="), found.states);
  EXPECT_EQ(count(dot, "peripheries=2"), found.terminal);
  EXPECT_EQ(edges(dot), found.transitions);
  EXPECT_NE(dot.find(R"(label="a \"title\"";)"), std::string::npos);
  EXPECT_GT(count(dot, "label=\"client-1 worker\npause of client-1 for 3s\""), 0U);
}

TEST(StateGraph, IsDrawnAfreshWhereASearchBeginsAgain) {
  Exploration found;
  const StateGraph graph = searched("[explore]\nattempts = 1\n", "getset-timestamp", found);
  EXPECT_EQ(found.detail, ClockDetail::offsets);  // a lock that reads wall clocks makes it do so
  EXPECT_EQ(graph.states().size(), found.states);
}

TEST(StateGraph, ShowsWhoIsInsideAndWhatBreaks) {
  StateGraph graph;
  graph.add_state({});
  graph.add_state({.inside = {"client-1"}});
  graph.add_state({.inside = {"client-1", "client-2"}});
  graph.add_event({.from = 0, .to = 1, .name = "client-1 worker", .broken = {}});
  graph.add_event({.from = 1, .to = 2, .name = "client-2 worker", .broken = {"mutual-exclusion"}});
  const std::string dot = graph.dot("");
  EXPECT_EQ(count(dot, "fillcolor=\"white\""), 1U);
  EXPECT_NE(dot.find("client-1, client-2 inside\", fillcolor=\"#F3C6C9\", peripheries=2"), std::string::npos) << dot;
  EXPECT_NE(dot.find("1->2 [label=\"client-2 worker\", color=\"#C1121F\""), std::string::npos) << dot;
}

TEST(StateGraph, CountsWhatIsTooManyAndDoesNotKeepIt) {
  StateGraph graph;
  for (std::size_t i = 0; i <= StateGraph::states_max; ++i) {
    EXPECT_TRUE(graph.has_room());
    graph.add_state({});
  }
  EXPECT_FALSE(graph.has_room());
  graph.add_event({.from = 0, .to = 1, .name = "x", .broken = {}});
  EXPECT_EQ(graph.dot("").find("->"), std::string::npos);
}

/// What a page is walked through by.
TEST(StateGraph, TellsWhatEachHostIsAndWhatHappened) {
  harness::Scenario scenario =
      tests::scenario("[workload]\nlease = \"2s\"\nwork = [\"hold 1s\"]\n[explore]\nattempts = 1\n", "set-px-token");
  const harness::Bounds bounds = scenario.explore.value();
  scenario = as_written(bounded(scenario, bounds, false));
  StateGraph graph(true);
  (void)explore_by_reexecution(scenario, bounds, {.graph = &graph});
  ASSERT_FALSE(graph.starts().empty());
  const auto tells = [&](const StateGraph::State& state, const std::string& part) {
    return std::ranges::any_of(state.facts, [&](const auto& lines) {
      return std::ranges::any_of(lines, [&](const std::string& line) { return line.find(part) != std::string::npos; });
    });
  };
  for (const StateGraph::State& state : graph.states()) EXPECT_EQ(tells(state, "INSIDE"), !state.inside.empty());
  EXPECT_TRUE(std::ranges::any_of(graph.states(), [&](const auto& s) { return tells(s, "lock is client-1's, "); }));
  EXPECT_TRUE(
      std::ranges::any_of(graph.states(), [&](const auto& s) { return tells(s, "SET is on its way to redis-1"); }));
  EXPECT_TRUE(std::ranges::any_of(graph.states(), [](const auto& s) { return s.ends && s.broken_at_end.empty(); }));
  for (const StateGraph::Event& event : graph.events()) {
    const bool enters = graph.states()[event.to].inside.size() > graph.states()[event.from].inside.size();
    const bool tells_it = std::ranges::any_of(
        event.happened, [](const std::string& text) { return text.find("ENTERS") != std::string::npos; });
    EXPECT_EQ(enters, tells_it) << event.name;
  }
}

}  // namespace
}  // namespace lockproof::sim::state_graph_test
