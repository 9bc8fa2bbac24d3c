// SPDX-License-Identifier: Apache-2.0
// Counterexample: what a search found, as a scenario that can be run again: its faults placed by event, and where these
// alone do not fix the schedule, the order and the latencies as steps.
#pragma once

#include <optional>
#include <string>

#include "harness/history/history.hpp"
#include "search/core/exploration.hpp"

namespace lockproof::sim {

struct Counterexample {
  harness::Scenario scenario;
  harness::History history;  // of the scenario's run
  /// Before the schedule breaks the property in this kind, it breaks it in a more serious one, which is what a run
  /// reports.
  bool hidden = false;
};

/// Runs the schedule again, records it, drops the steps that it does not need, and runs the result as `lockproof run`
/// will. `explored` is the bounded scenario; `horizon` is the one to write. Nothing if that run does not break the
/// property in this kind: then the search is wrong. When `stop` is requested, the remaining steps are kept.
/// `keeps_steps`: all are kept, for drop_steps to come, which needs many runs.
[[nodiscard]] std::optional<Counterexample> counterexample(const harness::Scenario& explored,
                                                           const harness::Bounds& budget, const std::string& property,
                                                           const std::string& kind, const ShortestViolation& broken,
                                                           Duration horizon, const std::stop_token& stop = {},
                                                           bool keeps_steps = false);

/// Drops the steps that the violation does not need.
void drop_steps(Counterexample& from, const std::string& property, const std::string& kind,
                const std::stop_token& stop = {});

/// The scenario as it is, with the verdicts of its run as its expectations; nothing if the run does not break the
/// property in this kind.
[[nodiscard]] std::optional<Counterexample> as_counterexample(harness::Scenario scenario, const ViolationKind& way);

/// The number of events of the scenario's run until it breaks a property in this kind; all of them, if it does not.
[[nodiscard]] int events_until(const harness::Scenario& scenario, const ViolationKind& way);

/// Why real servers need not show what the run of this scenario shows, as a sentence; empty: they should.
[[nodiscard]] std::string why_only_simulated(const harness::Scenario& scenario);
/// Of a program's scenario, the violations of its run are expected of real servers, too, unless it is only simulated.
void expect_of_servers(harness::Scenario& scenario);

/// Moves each recorded ask to a round instant in the middle of those at which the property still breaks in this kind:
/// easier to read, and far from the edges, since real servers are never exact. When `stop` is requested, the remaining
/// asks stay where they are.
void round_asks(Counterexample& shown, const std::string& property, const std::string& kind,
                const std::stop_token& stop = {});

}  // namespace lockproof::sim
