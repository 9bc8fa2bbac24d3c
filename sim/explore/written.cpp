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

void Written::look() { run(of_a_look(limits_), {few_states, few_events}); }

void Written::look_again(std::uint64_t visited) {
  if (!too_many_ || visited < next_look_) return;
  run(of_a_look(limits_), {next_look_ / 2, few_events});
  next_look_ *= 10;
}

void Written::finish() {
  if (!whole_) run(limits_, {});
}

void Written::run(Limits limits, Most most) {
  bool cut = false;
  limits.go_on = [&](const Progress& progress) {
    too_many_ = progress.states >= most.states;
    cut = too_many_ || progress.depth >= most.events;
    return !cut && (!limits_.go_on || limits_.go_on(progress));
  };
  found_ = search_(scenario_, limits);
  whole_ = found_.complete && found_.probes_stopped.empty();
  ends_all_ = (!whole_ && !cut) || is_enough();
}

bool Written::is_enough() const {
  std::set<ViolationKind> ways;
  for (const auto& [way, broken] : found_.broken) ways.insert(way);
  return !ways.empty() && limits_.enough && limits_.enough(ways);
}

}  // namespace lockproof::sim
