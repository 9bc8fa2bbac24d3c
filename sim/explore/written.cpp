// SPDX-License-Identifier: Apache-2.0
#include "sim/explore/written.hpp"

#include <cstdint>
#include <set>
#include <utility>

namespace lockproof::sim {
namespace {

/// Of a search that is not gone on with where it ends, and of whose share of the whole nobody is told.
Limits of_a_look(Limits limits) {
  limits.resume = nullptr;
  limits.save = {};
  limits.estimate = false;
  return limits;
}

}  // namespace

void Written::look() { run(of_a_look(limits_), few_steps); }

void Written::look_again(std::uint64_t steps) {
  if (!cut_ || steps < next_look_) return;
  run(of_a_look(limits_), next_look_ / 2);
  next_look_ *= 10;
}

void Written::finish() {
  if (!whole_) run(limits_, UINT64_MAX);
}

void Written::run(Limits limits, std::uint64_t most_steps) {
  cut_ = false;
  limits.go_on = [&](const Progress& progress) {
    cut_ = steps(progress) >= most_steps;
    return !cut_ && (!limits_.go_on || limits_.go_on(progress));
  };
  found_ = search_(scenario_, limits);
  whole_ = found_.complete && found_.probes_stopped.empty();
  ends_all_ = (!whole_ && !cut_) || is_enough();
}

bool Written::is_enough() const {
  std::set<ViolationKind> ways;
  for (const auto& [way, broken] : found_.broken) ways.insert(way);
  return !ways.empty() && limits_.enough && limits_.enough(ways);
}

}  // namespace lockproof::sim
