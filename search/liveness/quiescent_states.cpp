// SPDX-License-Identifier: Apache-2.0
#include "search/liveness/quiescent_states.hpp"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <tuple>

#include "search/core/checkpoint.hpp"

namespace lockproof::sim {

void QuiescentStates::add(State state, std::string remains) {
  states_.push_back(state);
  remains_.push_back(known_.emplace(std::move(remains), static_cast<std::uint32_t>(known_.size())).first->second);
}

void QuiescentStates::write(CheckpointOut& out) const {
  std::vector<const std::string*> texts(known_.size());
  for (const auto& [text, number] : known_) texts[number] = &text;
  out.number(texts.size());
  for (const std::string* text : texts) out.text(*text);
  out.number(states_.size());
  for (std::size_t i = 0; i < states_.size(); ++i) {
    out.number(states_[i].number);
    out.place({states_[i].faults, states_[i].depth});
    out.number(remains_[i]);
  }
  out.number(edges_.size());
  for (const auto& [from, to] : edges_) {
    out.number(from);
    out.number(to);
  }
}

void QuiescentStates::read(CheckpointIn& in) {
  std::uint32_t texts = 0;
  for (std::uint64_t left = in.number(); left > 0; --left) known_.emplace(in.text(), texts++);
  for (std::uint64_t left = in.number(); left > 0; --left) {
    State state{.number = static_cast<std::uint32_t>(in.number()), .faults = 0, .depth = 0};
    std::tie(state.faults, state.depth) = in.place();
    states_.push_back(state);
    remains_.push_back(static_cast<std::uint32_t>(in.number()));
  }
  for (std::uint64_t left = in.number(); left > 0; --left) {
    const auto from = static_cast<std::uint32_t>(in.number());
    edges_.emplace_back(from, static_cast<std::uint32_t>(in.number()));
  }
}

std::vector<QuiescentStates::State> QuiescentStates::ends() const {
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
