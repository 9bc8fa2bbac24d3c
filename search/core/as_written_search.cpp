// SPDX-License-Identifier: Apache-2.0
#include "search/core/as_written_search.hpp"

#include <cstdint>
#include <set>
#include <utility>

namespace lockproof::sim {

void AsWrittenSearch::look() { run(limits_, few_steps); }

void AsWrittenSearch::look_again(std::uint64_t steps) {
  if (!cut_ || steps < next_look_) return;
  Limits limits = limits_;
  limits.save = {};  // the other search has a checkpoint of its own
  run(std::move(limits), next_look_ * 2);
  next_look_ *= 10;
}

void AsWrittenSearch::finish() {
  if (!whole_) run(limits_, UINT64_MAX);
}

void AsWrittenSearch::run(Limits limits, std::uint64_t most_steps) {
  cut_ = false;
  limits.estimate = limits.estimate && most_steps == UINT64_MAX;  // of a look nobody is told what share of all it is
  limits.go_on = [&](const Progress& progress) {
    cut_ = steps(progress) >= most_steps;
    return !cut_ && (!limits_.go_on || limits_.go_on(progress));
  };
  if (limits.save) {
    limits.save = [this, save = limits.save](const WriteCheckpoint& write) {
      if (!cut_) save(write);
    };
  }
  found_ = search_(scenario_, limits);
  whole_ = found_.complete && found_.probes_stopped.empty();
  ends_all_ = (!whole_ && !cut_) || is_enough();
}

bool AsWrittenSearch::is_enough() const {
  std::set<ViolationKind> ways;
  for (const auto& [way, broken] : found_.broken) ways.insert(way);
  return !ways.empty() && limits_.enough && limits_.enough(ways);
}

}  // namespace lockproof::sim
