// SPDX-License-Identifier: Apache-2.0
// Probing: an estimate of how far a search is, while nobody knows how large the space is. Schedules are drawn at random
// from the start to their end, and of the states that they meet it is counted how many the search has visited.
//
// Knuth's estimate (1975) multiplies the branchings of a random path. It counts the nodes of a tree; here most paths
// meet again, and it would be too large by orders of magnitude. This one weighs a state by how often random schedules
// come by, not equally, but it needs no size: it is 0 at the start, and 1 when everything was visited.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>

#include "sim/explore/exploration.hpp"

namespace lockproof::sim {

/// `schedule(met)` walks one random schedule and calls `met(visited)` for each state; `met` answers whether to go on.
/// When it is stopped, the states that were met by then must do; nothing if it met none.
template <class Schedule>
std::optional<Probed> probe(int schedules, const std::stop_token& stop, Schedule schedule) {
  constexpr int longest = 20'000;  // some schedules never end
  Probed probed;
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
    return std::nullopt;  // a random schedule has come to a state that no search can represent
  } catch (const Stopped&) {
  }
  return probed.met > 0 ? std::optional(probed) : std::nullopt;
}

}  // namespace lockproof::sim
