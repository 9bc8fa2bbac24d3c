// SPDX-License-Identifier: Apache-2.0
#include "execution/explore/walk_json.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "harness/report/text/headed.hpp"
#include "search/results/state_graph.hpp"
#include "sim/run.hpp"

namespace lockproof::execution {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t work_of_state = 20;  // see search::Limits

const char* kind_text(harness::HostKind kind) {
  switch (kind) {
    case harness::HostKind::client: return "client";
    case harness::HostKind::server: return "server";
    case harness::HostKind::resource: return "resource";
  }
  return "";
}

/// Many states have the same facts of a host: each is written once.
class FactTable {
 public:
  std::size_t number_of(const std::vector<std::string>& facts) {
    const auto [known, is_new] = numbers_.emplace(facts, numbers_.size());
    if (is_new) rows_.push_back(facts);
    return known->second;
  }
  [[nodiscard]] const Json& rows() const { return rows_; }

 private:
  std::map<std::vector<std::string>, std::size_t> numbers_;
  Json rows_ = Json::array();
};

std::string json_of(const sim::StateGraph& graph, const search::Answer& answer, bool reduced,
                    const std::string& command) {
  const harness::Scenario& scenario = answer.scenario;
  FactTable facts;
  Json hosts = Json::array(), states = Json::array(), events = Json::array();
  for (const harness::Host& host : sim::run(scenario, scenario.seed).header.hosts) {
    hosts.push_back({{"name", host.name}, {"kind", kind_text(host.kind)}});
  }
  for (const sim::StateGraph::State& state : graph.states()) {
    Json of_hosts = Json::array();
    for (const std::vector<std::string>& lines : state.facts) of_hosts.push_back(facts.number_of(lines));
    states.push_back(
        {{"inside", state.inside}, {"facts", of_hosts}, {"ends", state.ends}, {"broken", state.broken_at_end}});
  }
  for (const sim::StateGraph::Event& event : graph.events()) {
    events.push_back({event.from, event.to, event.name, event.host, event.broken, event.happened});
  }
  return harness::document(Json{{"title", scenario.title.empty() ? scenario.name : scenario.title},
                                {"name", scenario.name},
                                {"lock", scenario.algorithm->name},
                                {"command", command},
                                {"reduced", reduced},
                                {"scenario", scenario.text},
                                {"hosts", hosts},
                                {"starts", graph.starts()},
                                {"facts", facts.rows()},
                                {"states", states},
                                {"events", events}});
}

}  // namespace

Walk walk_of(search::Question question, const search::Limits& limits, const std::string& command) {
  question.engine = search::Engine::reexecution;
  question.goal = search::Goal::kinds;
  question.enough = {};
  question.save = {};
  question.in_parts = question.drifts = question.estimates = question.probes = false;
  search::Limits few = limits;
  few.work = (walked_states_max + 1) * work_of_state;
  for (const bool reduces : {false, true}) {
    sim::StateGraph graph(true, walked_states_max);
    question.graph = &graph;
    question.reduces = reduces;
    const search::Answer answer = search::answer(question, few);
    const bool is_whole = answer.found.complete || answer.found.reached_ends();
    if (is_whole && graph.has_room()) return {.json = json_of(graph, answer, reduces, command), .why_none = ""};
    if (graph.has_room()) return {.json = "", .why_none = "its search was stopped"};
  }
  return {.json = "",
          .why_none =
              fmt::format("there are more than {} states; fewer rounds, attempts, clients or faults make it smaller",
                          walked_states_max)};
}

}  // namespace lockproof::execution
