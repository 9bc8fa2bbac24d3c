// SPDX-License-Identifier: Apache-2.0
// Probing: estimates how far a search is when the size of the space is not known. Schedules are drawn at random from
// the start to their end, and the share of the states on them that the search has visited is counted.
//
// Knuth's estimate (1975) multiplies the branchings of a random path. It counts the nodes of a tree; here most paths
// meet again, and it would be too large by orders of magnitude. This estimate weighs a state by how often random
// schedules reach it, not equally, but it needs no size: it is 0 at the start, and 1 when everything was visited.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>

#include "search/core/exploration.hpp"

namespace lockproof::sim {

/// `schedule(met)` follows one random schedule and calls `met(visited)` for each state; `met` returns whether to go on.
/// When it is stopped, the estimate is made from the states met by then; it is nothing if there are none.
template <class Schedule>
std::optional<CoverageEstimate> probe(int schedules, const std::stop_token& stop, Schedule schedule) {
  constexpr int longest = 20'000;  // some schedules never end
  CoverageEstimate probed;
  try {
    for (int i = 0; i < schedules; ++i) {
      int length = 0;
      schedule([&](bool was_visited) {
        look_at(stop);
        ++probed.met;
        probed.visited += was_visited;
        return ++length < longest;
      });
    }
  } catch (const std::runtime_error&) {
    return std::nullopt;  // a random schedule has reached a state that no search can represent
  } catch (const Cancellation&) {
  }
  return probed.met > 0 ? std::optional(probed) : std::nullopt;
}

}  // namespace lockproof::sim
