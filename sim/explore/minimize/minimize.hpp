// SPDX-License-Identifier: Apache-2.0
// Minimize: the smallest cause of a violation. Faults are dropped first, then clients, rounds and attempts, then
// windows close, then durations shrink; each time the schedules around what is left are searched again for a violation
// of the same property and kind, and the shortest one is gone on with. Faults count more than events.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/explore/minimize/smaller.hpp"
#include "sim/explore/minimize/trials.hpp"

namespace lockproof::sim {

struct MinimizeLimits {
  TrialLimits trial;
  /// Told what is done next, as in "faults: 1 of 4".
  std::function<void(const std::string& doing)> tell = {};
};

/// What a scenario is made of.
struct Size {
  std::size_t faults = 0, steps = 0;
  int events = 0;  // until it breaks the property
  bool operator==(const Size&) const = default;
};

/// What came of one thing less than the result has.
struct Needed {
  std::string what;  // "without the pause of client-1 for 11s", "with 10.999s"
  Answer answer = Answer::undecided;
  std::uint64_t states = 0;
  int events = 0;         // where it breaks all the same: with so many, which is too many
  bool of_fault = false;  // without a fault; else with a smaller value
};

struct Minimized {
  ViolationKind way;
  bool by_its_run = true;  // the scenario's own run breaks it; else another one of its schedules does
  Size before, after;
  Counterexample shown;
  std::vector<Change> changes;
  std::vector<Needed> needed;
  std::uint64_t candidates = 0, undecided = 0, states = 0;
  bool stopped = false;  // before its end: what it had by then
};

/// What the scenario breaks, or why there is nothing to minimize.
struct Minimum {
  std::optional<Minimized> found;
  // Used if the scenario was not minimized:
  Answer other_schedules = Answer::undecided;  // holds: no schedule breaks it
  std::uint64_t states = 0;
  bool stopped = false;
};

/// `property`: the one to go by; empty: the worst that the scenario breaks. Never exercised. The seed is the
/// scenario's. Its [explore] is not looked at.
[[nodiscard]] Minimum minimize(const harness::Scenario& scenario, const std::string& property,
                               const MinimizeLimits& limits);

}  // namespace lockproof::sim
