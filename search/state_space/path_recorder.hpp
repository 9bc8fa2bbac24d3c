// SPDX-License-Identifier: Apache-2.0
// PathRecorder: runs the real world along moves of the product, and records its questions with their answers.
#pragma once

#include <vector>

#include "search/state_space/successors.hpp"

namespace lockproof::sim {

/// A move that owns its answers.
struct Leg {
  Move move;
  Choices answers;
};

/// The choices that lead a world through these moves. `start`: those that it makes while it is made. Throws
/// std::logic_error if the world cannot follow: then the product and the world differ.
[[nodiscard]] Choices choices_of(const harness::Scenario& scenario, const harness::Bounds& bounds, const Choices& start,
                                 const std::vector<Leg>& legs);

}  // namespace lockproof::sim
