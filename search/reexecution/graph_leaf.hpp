// SPDX-License-Identifier: Apache-2.0
// GraphLeaf: what a graph of states has of the end of a walk.
#pragma once

#include "search/core/walk.hpp"
#include "search/reduction/naming_chooser.hpp"
#include "search/results/state_graph.hpp"

namespace lockproof::sim {

/// The state in which the walk is, and the event by which it came there. `tells`: with all that people want to know.
/// REQUIRES of a walk that tells: it keeps its events.
[[nodiscard]] StateGraph::State graph_state(Walk& walk, bool tells);
/// `before`: world time of the state that it left.
[[nodiscard]] StateGraph::Event graph_event(const NamingChooser& naming, Walk& walk, Duration before);

}  // namespace lockproof::sim
