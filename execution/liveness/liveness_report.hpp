// SPDX-License-Identifier: Apache-2.0
// What a search for endless schedules found, for people and for machines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/check/expectation.hpp"
#include "harness/report/text/style.hpp"
#include "search/liveness/endless.hpp"
#include "search/liveness/finish.hpp"

namespace lockproof::execution {

struct LivenessReport {
  harness::Scenario scenario;  // as it was searched
  std::string file;
  harness::Bounds budget;
  sim::EndlessRuns found;
  double seconds = 0;
  std::optional<sim::Finish> finish;  // where the graph was not searched to its end
  double finish_seconds = 0;
  check::ComparedFinding liveness;
  std::vector<std::string> saved;  // of each loop, or of each way to be stuck, the file, if there is one
  std::string reproduce;
};

/// The verdict, and what is expected: a kind is met if it is among those that were found.
[[nodiscard]] check::ComparedFinding judged(const LivenessReport& report, const std::optional<std::string>& expected);
/// The trace of the stem and of one turn, with what stands between them.
[[nodiscard]] std::string loop_text(const sim::Loop& loop, const harness::Style& style);
/// What the search covered: with `holds`, the evidence.
[[nodiscard]] std::string liveness_evidence(const LivenessReport& report, const harness::Style& style);
[[nodiscard]] std::string liveness_json(const LivenessReport& report);

}  // namespace lockproof::execution
