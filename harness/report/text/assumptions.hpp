// SPDX-License-Identifier: Apache-2.0
// Assumptions: what the `holds` of a search rests on, besides its numbers of clients, rounds and faults. Each is a
// phrase of a line that every command prints that searches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/report/text/style.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// What a lease leaves beside the work and its messages, of the client that has the least: a holder that stands still
/// for longer has outlived its lease. Negative: it outlives it in any case. Nothing: the lock has no lease that ends in
/// its holder's work.
[[nodiscard]] std::optional<Duration> slack_of(const Scenario& scenario);

/// Whether clocks run at different rates: the longer they do so before anybody asks, the further apart they are.
[[nodiscard]] bool drift_apart(const Scenario& searched, const Bounds& bounds);

/// The durations on which a verdict turns: of messages, calls, leases and the work.
[[nodiscard]] std::vector<std::string> measures_of(const Scenario& searched);
/// All else.
[[nodiscard]] std::vector<std::string> assumptions_of(const Scenario& searched, const Bounds& bounds,
                                                      bool of_every_timing = false,
                                                      const std::vector<Duration>& late_starts = {});

/// The phrases with semicolons between them, in lines, each after two spaces.
[[nodiscard]] std::string in_lines(const std::vector<std::string>& phrases, const Style& style);

}  // namespace lockproof::harness
