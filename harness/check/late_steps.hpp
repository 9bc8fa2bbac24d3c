// SPDX-License-Identifier: Apache-2.0
// LateSteps: what the measured lateness of the machine can explain. Each step of a client, and each way of a message,
// may have come late by as much. So an event may have come late by that times the steps since the client was last sure
// of its time. What a fault held up was not late. Times are the scenario's.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::check {

/// A fault of a history, from its strike to its end.
struct FaultSpan {
  harness::HostIndex host;
  harness::HostIndex peer;
  std::string_view kind;  // of the history's own text
  int number;             // in the scenario, from 1
  Duration from, until;
};

/// In the order in which they struck. The history must outlive them.
[[nodiscard]] std::vector<FaultSpan> faults_in(const harness::History& history);

inline constexpr std::int64_t lateness_of_bounds = 10;  // a bound is missed by several steps, each of which may be late

class LateSteps {
 public:
  /// Both must outlive it.
  LateSteps(const harness::History& history, const harness::Scenario& scenario);

  /// A bound of time ([judge]) that is missed by no more than this may have been missed because of the lateness.
  [[nodiscard]] Duration of_bounds() const { return step_ * lateness_of_bounds; }
  /// Whether the event, which came after `limit`, could have come by then on a machine that is on time. It is a
  /// client's own event or the execution of its command. Its steps count from its last start, grant or renewal by
  /// `limit`.
  [[nodiscard]] bool could_come_by(std::size_t position, Duration limit) const;
  /// Whether any fault was at work in between.
  [[nodiscard]] bool struck_between(Duration from, Duration until) const;

 private:
  [[nodiscard]] std::optional<std::size_t> sending_of(std::size_t execution) const;
  [[nodiscard]] bool is_within_steps(harness::HostIndex client, std::size_t position, Duration from,
                                     Duration limit) const;
  /// Whether the fault struck at an event of this host, so that it strikes there whatever the machine does.
  [[nodiscard]] bool is_of_own_event(const FaultSpan& fault, harness::HostIndex host) const;
  [[nodiscard]] Duration held_until(const FaultSpan& fault) const;

  const harness::History& history_;
  const harness::Scenario& scenario_;
  const Duration step_;  // the lateness, in the scenario's time
  const std::vector<FaultSpan> faults_;
};

}  // namespace lockproof::check
