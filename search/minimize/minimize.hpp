// SPDX-License-Identifier: Apache-2.0
// Minimize: the smallest cause of a violation. Faults are dropped first, then clients, rounds and attempts, then
// windows close, then durations shrink. After each step the schedules of the smaller scenario are searched for a
// violation of the same property and kind, and the shortest one is kept. Faults count more than events.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/minimize/smaller.hpp"
#include "search/minimize/trials.hpp"

namespace lockproof::sim {

struct MinimizeOrder {
  search::Limits limits{.work = 100'000};  // of each search
  /// Called with the next thing to be done, as in "faults: 1 of 4".
  std::function<void(const std::string& doing)> tell = {};
};

/// The size of a scenario.
struct Size {
  std::size_t faults = 0, steps = 0;
  int events = 0;  // until it violates the property
  bool operator==(const Size&) const = default;
};

/// The result of an attempt to leave one more thing out.
struct NecessityTrial {
  std::string what;  // "without the pause of client-1 for 11s", "with 10.999s"
  Answer answer = Answer::undecided;
  std::uint64_t states = 0;
  int events = 0;         // if it still breaks: after so many events, which are too many
  bool of_fault = false;  // without a fault; else with a smaller value
};

struct Minimization {
  ViolationKind way;
  bool by_its_run = true;  // the scenario's own run breaks it; else another one of its schedules does
  Size before, after;
  Counterexample shown;
  std::vector<Change> changes;
  std::vector<NecessityTrial> needed;
  std::uint64_t candidates = 0, undecided = 0, states = 0;
  bool stopped = false;  // before its end: the result is what it had by then
};

/// The minimized violation, or why there is nothing to minimize.
struct Minimum {
  std::optional<Minimization> found;
  // Used if the scenario was not minimized:
  Answer other_schedules = Answer::undecided;  // holds: no schedule breaks it
  std::uint64_t states = 0;
  bool stopped = false;
};

/// `property`: the one to minimize for; empty: the most serious one that the scenario breaks, but never exercised. The
/// seed is the scenario's. Its [explore] is not read.
[[nodiscard]] Minimum minimize(const harness::Scenario& scenario, const std::string& property,
                               const MinimizeOrder& order);

}  // namespace lockproof::sim
