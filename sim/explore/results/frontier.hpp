// SPDX-License-Identifier: Apache-2.0
// Frontier: which sets of faults break a property of a lock, and which do not: the least sets that are enough, and the
// largest sets of kinds of faults of which nothing is enough. One search with a budget gives all of them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sim/explore/exploration.hpp"

namespace lockproof::sim {

/// Numbers of entries of a budget, ascending; one that strikes twice stands twice.
using FaultSet = std::vector<std::size_t>;

/// A least set of faults with which a property breaks: with a part of it, it does not.
struct Enough {
  FaultSet faults;
  std::string kind;  // of the violation
  Broken broken;
};

struct Frontier {
  Exploration found;
  std::map<std::string, std::vector<Enough>> enough;  // by property: fewest faults first, then fewest events
  /// All sets of at most so many faults were searched; -1: not even those without one.
  int searched_faults = -1;
};

/// The frontier. REQUIRES: `found` is the result of a search with Limits::by_faults.
[[nodiscard]] Frontier frontier_of(Exploration found, const harness::Bounds& bounds);

/// The largest sets of numbers below `count` that contain none of these sets: what is left without a minimal
/// transversal of them (Berge, Hypergraphs, 1989, chapter 2). In ascending order.
[[nodiscard]] std::vector<FaultSet> largest_without(std::size_t count, const std::vector<FaultSet>& sets);

}  // namespace lockproof::sim
