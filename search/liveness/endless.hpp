// SPDX-License-Identifier: Apache-2.0
// EndlessRuns: liveness. Every client that wants the lock gets it eventually, in every fair schedule, or a lasso shows
// a violation: a schedule, a part of it that can repeat indefinitely, and a client that never gets the lock meanwhile.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/history/history.hpp"
#include "search/core/exploration.hpp"
#include "search/core/walk.hpp"

namespace lockproof::sim {

/// A lasso as a scenario: its run goes along the stem and then three turns.
struct Loop {
  std::string kind;    // see docs/semantics/liveness.md
  std::string client;  // the client that never gets the lock
  int faults = 0;
  std::uint64_t stem = 0, turn = 0;  // events; a turn of 0: nothing happens any more
  Duration stem_lasts{}, turn_lasts{};
  harness::Scenario scenario;
  harness::History history;          // of its run
  std::size_t begins = 0, ends = 0;  // of the first turn, in the history
};

struct EndlessRuns {
  bool complete = false;
  std::string stopped;  // the reason, if it is not complete
  std::uint64_t states = 0, transitions = 0, bytes = 0;
  std::vector<Loop> loops;  // one for each kind, with the fewest faults and then the shortest stem
  bool drawn = false;       // something is drawn at random: a jitter
  PathCoverage shown{};     // from the events of the graph
  bool differs = false;     // a run did not follow a lasso as in the graph: an error of lockproof
};

/// The scenario as this search uses it: clients try without a time limit, and rounds "for ever" do not end.
[[nodiscard]] harness::Scenario endless(harness::Scenario scenario, const harness::Bounds& bounds, bool alone);

/// Searches the whole graph, without partial-order or symmetry reduction. Only `bytes` and `go_on` of the limits are
/// used.
[[nodiscard]] EndlessRuns search_endless(const harness::Scenario& scenario, const harness::Bounds& budget,
                                         const Limits& limits, Duration horizon);

}  // namespace lockproof::sim
