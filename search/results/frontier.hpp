// SPDX-License-Identifier: Apache-2.0
// Frontier: the minimal sets of faults that break a property of a lock, and the largest sets of kinds of faults that do
// not. One search with a budget gives all of them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "search/core/exploration.hpp"

namespace lockproof::sim {

/// Indices of entries of a budget, ascending; an entry that strikes twice occurs twice.
using FaultSet = std::vector<std::size_t>;

/// A minimal set of faults that breaks a property: no part of it does.
struct MinimalFaults {
  FaultSet faults;
  std::string kind;  // of the violation
  ShortestViolation broken;
};

struct Frontier {
  Exploration found;
  std::map<std::string, std::vector<MinimalFaults>> enough;  // by property: fewest faults first, then fewest events
  /// All sets with at most this number of faults were searched; -1: not even the empty set.
  int searched_faults = -1;
};

/// The frontier. REQUIRES: `found` is the result of a search with Limits::by_faults.
[[nodiscard]] Frontier frontier_of(Exploration found, const harness::Bounds& bounds);

/// The largest sets of numbers below `count` that contain none of these sets: the complements of the minimal
/// transversals (Berge, Hypergraphs, 1989, chapter 2). In ascending order.
[[nodiscard]] std::vector<FaultSet> largest_without(std::size_t count, const std::vector<FaultSet>& sets);

}  // namespace lockproof::sim
