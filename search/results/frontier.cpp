// SPDX-License-Identifier: Apache-2.0
#include "search/results/frontier.hpp"

#include <algorithm>
#include <set>

namespace lockproof::sim {
namespace {

FaultSet faults_of(const std::vector<int>& counts) {
  FaultSet faults;
  for (std::size_t entry = 0; entry < counts.size(); ++entry) {
    faults.insert(faults.end(), static_cast<std::size_t>(counts[entry]), entry);
  }
  return faults;
}

void keep_least(std::set<FaultSet>& sets) {
  std::erase_if(sets, [&](const FaultSet& set) {
    return std::ranges::any_of(
        sets, [&](const FaultSet& part) { return part.size() < set.size() && std::ranges::includes(set, part); });
  });
}

}  // namespace

Frontier frontier_of(Exploration found, const harness::Bounds& bounds) {
  Frontier frontier;
  const bool reached = found.reached && !found.only_written;
  frontier.searched_faults = found.complete ? bounds.max_faults : reached ? found.reached->faults - 1 : -1;
  for (const auto& [with, broken] : found.by_faults) {
    const auto& [way, counts] = with;
    frontier.enough[way.first].push_back({faults_of(counts), way.second, broken});
  }
  for (auto& [property, all] : frontier.enough) {
    std::ranges::sort(all, {}, [](const MinimalFaults& one) {
      return std::tuple(one.broken.faults, one.broken.depth, one.faults, one.kind);
    });
  }
  frontier.found = std::move(found);
  return frontier;
}

std::vector<FaultSet> largest_without(std::size_t count, const std::vector<FaultSet>& sets) {
  std::set<FaultSet> transversals{{}};
  for (const FaultSet& set : sets) {
    std::set<FaultSet> next;
    for (const FaultSet& known : transversals) {
      const auto hits = [&](std::size_t n) { return std::ranges::binary_search(known, n); };
      if (std::ranges::any_of(set, hits)) {
        next.insert(known);
        continue;
      }
      for (const std::size_t n : set) {
        FaultSet more = known;
        more.insert(std::ranges::upper_bound(more, n), n);
        next.insert(std::move(more));
      }
    }
    keep_least(next);
    transversals = std::move(next);
  }
  std::vector<FaultSet> largest;
  for (const FaultSet& left_out : transversals) {
    FaultSet rest;
    for (std::size_t n = 0; n < count; ++n) {
      if (!std::ranges::binary_search(left_out, n)) rest.push_back(n);
    }
    largest.push_back(std::move(rest));
  }
  std::ranges::sort(largest);
  return largest;
}

}  // namespace lockproof::sim
