// SPDX-License-Identifier: Apache-2.0
#include "execution/explore/explore.hpp"

#include <fmt/format.h>

#include <utility>

#include "harness/check/properties.hpp"
#include "harness/input_error.hpp"
#include "harness/report/answers/explained.hpp"
#include "harness/scenario/file/write.hpp"
#include "search/results/state_graph.hpp"

namespace lockproof::execution {
namespace {

std::string drawing_of(const sim::StateGraph& graph, const harness::Scenario& scenario) {
  if (!graph.has_room()) {
    throw harness::InputError(
        "--format", 0,
        fmt::format("dot: {} states are too many to draw, {} are the most; fewer rounds, attempts, clients "
                    "or faults make it smaller",
                    graph.states().size(), sim::StateGraph::states_max));
  }
  return graph.dot(scenario.title.empty() ? scenario.name : scenario.title);
}

/// A counterexample says which command finds it.
void sign(const ExploreReport& report, sim::Counterexample& shown) {
  shown.scenario.source = report.reproduce;
  shown.scenario.text = harness::to_toml(shown.scenario);
}

void answer(const ExploreOrder& order, ExploreReport& report) {
  search::Question question = order.question;
  sim::StateGraph graph;
  if (order.draws_graph) question.graph = &graph;
  static_cast<search::Answer&>(report) = search::answer(question, order.limits);
  report.seconds = order.seconds();
  report.held = order.held();
  report.stop = order.why_stopped();
  if (!report.why_reexecution.empty()) report.engine = "reexecution";
  if (report.found.every_timing) report.engine = "zones";
  if (order.draws_graph) report.graph = drawing_of(graph, report.scenario);
  const std::string why = stop_text(report);
  if (!why.empty() && !report.found.complete) report.found.stopped = why;
  if (!report.found.probes_stopped.empty()) report.found.probes_stopped = why;
}

std::string happened_in(const ExploreReport& report) {
  const auto* const shown = search::first_counterexample(report);
  if (!shown) return "";
  const sim::Counterexample& found = shown->second;
  const std::string what =
      harness::first_sentence(found.history, check::judge(found.history, found.scenario), shown->first.first);
  const std::string probe = probe_text(report);
  return probe.empty() ? what : what + " " + probe;
}

}  // namespace

std::string first_engine(const search::Question& question) {
  if (search::engine_of(question) == search::Engine::zones) return "zones";
  if (question.engine == search::Engine::stateful) return "stateful";
  if (question.engine == search::Engine::reexecution) return "reexecution";
  return search::why_reexecution(question).empty() ? "stateful" : "reexecution";
}

ExploreReport explore(ExploreOrder order) {
  const search::Question& question = order.question;
  ExploreReport report;
  report.engine = first_engine(question);
  report.reduced = question.reduces;
  report.max_faults = order.max_faults;
  report.given = order.given;
  report.reproduce = order.reproduce;
  report.command = order.command;
  report.draws = order.draws;
  report.checkpoint = order.checkpoint;
  answer(order, report);
  if (report.engine == "reexecution" && report.why_reexecution.empty()) {
    report.why_reexecution = search::why_reexecution(question);
  }
  const std::stop_token& stop = order.limits.stop_telling;
  search::enact_all(report, question, stop);
  for (auto& [violation, shown] : report.counterexamples) sign(report, shown);
  report.happened = happened_in(report);
  if (question.goal == search::Goal::causes) {
    const auto witness = [&](const sim::ViolationKind& violation, const sim::ShortestViolation& broken) {
      auto shown = search::enact(report, question, violation, broken, stop);
      if (shown && !shown->hidden) sign(report, *shown);
      return shown && shown->hidden ? std::nullopt : std::move(shown);
    };
    report.causes = causes_of(report.scenario, report.parted, report.found, witness);
  }
  auto expected = check::expected_of(question.scenario, &harness::Expect::explore);
  if (question.alone) expected.emplace();  // a budget of one's own: the scenario does not say what comes of it
  report.ignores_expect = question.alone;
  report.properties = check::compare(search::findings_of(report), expected);
  return report;
}

}  // namespace lockproof::execution
