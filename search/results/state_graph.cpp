// SPDX-License-Identifier: Apache-2.0
#include "search/results/state_graph.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/graphviz.hpp>
#include <numeric>
#include <ostream>
#include <sstream>
#include <utility>

namespace lockproof::sim {
namespace {

constexpr const char *plain = "#444444", *broken = "#C1121F", *held = "#DCEBDD", *shared = "#F3C6C9";

std::string quoted(const std::string& text) { return boost::escape_dot_string(text); }

}  // namespace

std::string StateGraph::dot(const std::string& title) const {
  using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, std::size_t>;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const Event& event : events_) edges.emplace_back(event.from, event.to);
  std::vector<std::size_t> numbers(events_.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  const Graph graph(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), numbers.begin(), states_.size());
  const auto state = [&](std::ostream& out, std::size_t number) {
    const std::vector<std::string>& inside = states_[number].inside;
    const std::string label =
        inside.empty() ? fmt::format("{}", number) : fmt::format("{}\n{} inside", number, fmt::join(inside, ", "));
    out << fmt::format("[label={}, fillcolor=\"{}\", peripheries={}]", quoted(label),
                       inside.empty()       ? "white"
                       : inside.size() == 1 ? held
                                            : shared,
                       boost::out_degree(number, graph) == 0 ? 2 : 1);
  };
  const auto event = [&](std::ostream& out, const Graph::edge_descriptor& edge) {
    const Event& e = events_[graph[edge]];
    const char* const ink = !e.broken.empty() ? broken : plain;
    out << fmt::format("[label={}, color=\"{}\", fontcolor=\"{}\"]", quoted(e.name), ink, ink);
  };
  const auto whole = [&](std::ostream& out) {
    out << fmt::format(
        "label={};\nlabelloc=t;\nfontname=\"DejaVu Sans\";\nnode [shape=box, style=\"rounded,filled\", "
        "fontname=\"DejaVu Sans\"];\n"
        "edge [fontname=\"DejaVu Sans\", fontsize=10];\n",
        quoted(title));
  };
  std::ostringstream out;
  out << "// A graph of lockproof explore\n";
  boost::write_graphviz(out, graph, state, event, whole);
  return out.str();
}

}  // namespace lockproof::sim
