// SPDX-License-Identifier: Apache-2.0
// What a search over all schedules found, for people and for machines.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "execution/explore/causes.hpp"
#include "harness/check/expectation.hpp"
#include "harness/report/verdicts.hpp"
#include "harness/stop_reason.hpp"
#include "search/verdicts.hpp"

namespace lockproof::execution {

/// An answer, and how it was asked for.
struct ExploreReport : search::Answer {
  std::string engine;
  bool reduced = false;
  double seconds = 0;
  std::uint64_t held = 0;  // bytes of memory that the process has: what was visited, and what was learnt meanwhile
  std::optional<std::vector<Cause>> causes;  // if all were looked for
  std::vector<check::ComparedFinding> properties;
  bool ignores_expect = false;               // the budget is not the scenario's, and any violation fails
  std::map<std::string, std::string> saved;  // by property: the file of its counterexample
  std::string happened;                      // the first sentence of the explanation of the worst; empty: none
  std::string graph;                         // in the language of Graphviz; empty: not asked for
  std::string reproduce;
  std::string command;     // without limits
  std::string draws;       // the command that draws schedules within the same bounds; empty: there is none
  std::string max_faults;  // words of the command line; empty: none
  harness::GivenLimits given;
  harness::StopReason stop = harness::StopReason::none;
  std::string checkpoint;  // where it was to be written; empty: nowhere
};

/// Rounded down: 100 only if all was visited.
[[nodiscard]] std::uint64_t percent(const sim::CoverageEstimate& probed);
/// Why it stopped, as a sentence without its full stop.
[[nodiscard]] std::string stop_text(const ExploreReport& report);
/// What a search that was stopped has shown nevertheless, and how to continue it.
[[nodiscard]] std::string learned_text(const ExploreReport& report, const harness::Style& style);

/// What the search covered: with `holds`, the evidence.
[[nodiscard]] std::string evidence_text(const ExploreReport& report, const harness::Style& style);
[[nodiscard]] std::string explore_json(const ExploreReport& report);
/// One search, as it stands among runs. `brief`: why it stopped, and what happened, is said elsewhere, once.
[[nodiscard]] harness::RunReport as_run(const ExploreReport& report, bool brief = false);
/// Explains the client that the search adds and the bound that it chooses, where what is told first speaks of them and
/// the scenario does not; else empty.
[[nodiscard]] std::string probe_text(const ExploreReport& report);

}  // namespace lockproof::execution
