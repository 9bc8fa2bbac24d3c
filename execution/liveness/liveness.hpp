// SPDX-License-Identifier: Apache-2.0
// Liveness: whether every client that wants the lock eventually gets it, in every fair schedule.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "execution/liveness/liveness_report.hpp"
#include "harness/stop_reason.hpp"
#include "search/search.hpp"

namespace lockproof::execution {

/// One part of it, under its own limit of time.
struct LivenessPhase {
  std::stop_token stop;
  std::function<bool(const sim::Progress&)> go_on;           // of the search; false: stop
  std::function<bool(const std::string& doing)> go_on_runs;  // of the schedules that are drawn
  std::function<harness::StopReason()> why_stopped;
  std::function<double()> seconds;
};

struct LivenessOrder {
  harness::Scenario scenario;  // as written
  harness::Bounds bounds;
  bool alone = false;      // the bounds are the only source of faults
  std::uint64_t runs = 0;  // schedules to draw where the search does not end; 0: none
  unsigned workers = 1;    // for these
  harness::GivenLimits given;
  std::string file, reproduce;
  std::function<LivenessPhase()> begin_search;
  std::function<LivenessPhase(double seconds_gone)> begin_runs;
};

[[nodiscard]] LivenessReport liveness(const LivenessOrder& order);

}  // namespace lockproof::execution
