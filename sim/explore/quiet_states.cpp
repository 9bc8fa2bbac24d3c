// SPDX-License-Identifier: Apache-2.0
#include "sim/explore/quiet_states.hpp"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <tuple>

namespace lockproof::sim {

void QuietStates::add(State state, std::string remains) {
  states_.push_back(state);
  remains_.push_back(known_.emplace(std::move(remains), static_cast<std::uint32_t>(known_.size())).first->second);
}

std::vector<QuietStates::State> QuietStates::ends() const {
  std::map<std::uint32_t, std::uint32_t> vertices;  // by the number of the state
  for (std::uint32_t v = 0; v < states_.size(); ++v) vertices.emplace(states_[v].number, v);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const auto& [from, to] : edges_) edges.emplace_back(vertices.at(from), vertices.at(to));

  using Graph = boost::compressed_sparse_row_graph<boost::directedS>;
  const Graph graph(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), states_.size());
  std::vector<std::uint32_t> component(states_.size());
  const auto components = boost::strong_components(
      graph, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  std::vector<bool> left(components, false);
  for (const auto& [from, to] : edges)
    left[component[from]] = left[component[from]] || component[from] != component[to];

  std::vector<std::uint32_t> order;
  for (std::uint32_t v = 0; v < states_.size(); ++v) {
    if (!left[component[v]]) order.push_back(v);
  }
  std::ranges::sort(
      order, {}, [&](std::uint32_t v) { return std::tuple(states_[v].faults, states_[v].depth, states_[v].number); });
  std::vector<bool> component_has(components, false), remains_have(known_.size(), false);
  std::vector<State> ends;
  for (const std::uint32_t v : order) {
    if (component_has[component[v]] || remains_have[remains_[v]]) continue;
    component_has[component[v]] = remains_have[remains_[v]] = true;
    ends.push_back(states_[v]);
  }
  return ends;
}

}  // namespace lockproof::sim
