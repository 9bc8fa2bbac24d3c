// SPDX-License-Identifier: Apache-2.0
// What a fuzzing run, or several shards of one, found: verdicts, and what no finding is worth.
#pragma once

#include <optional>
#include <string>

#include "execution/fuzz/fuzz_space.hpp"
#include "harness/report/fuzzed.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::execution {

/// What is known of the command that asked.
struct FuzzWords {
  std::string command;       // without what says which runs
  bool runs_stated = false;  // otherwise the time says how many there are
  std::string scenario_digest, budget_digest, build;
};
/// Without its properties.
[[nodiscard]] harness::FuzzReport fuzz_report(const FuzzSpace& space, const sim::FuzzResult& found,
                                              const FuzzWords& words);
/// The scenario of a finding, for a file in this folder. If the scenario has no bounds and its own lock, it is its own
/// text followed by the schedule; otherwise it contains everything that a run needs.
[[nodiscard]] std::string scenario_text(const FuzzSpace& space, const sim::ViolationKind& way, const sim::Tally& tally,
                                        const std::string& folder);
/// The first sentence of the explanation of the worst finding, in the first run that shows it.
[[nodiscard]] std::string happened_in(const FuzzSpace& space, const sim::FuzzResult& found,
                                      const harness::FuzzReport& report, const std::stop_token& stop);

/// Fills in the properties: found against expected.
void judge(harness::FuzzReport& report, const std::optional<harness::Expectations>& expected);
/// For people, with the command that reproduces as its last line.
[[nodiscard]] std::string fuzz_text(const harness::FuzzReport& report, const harness::Style& style);
/// The violation of the property that comes first in the catalogue; null if nothing was found that counts by itself.
[[nodiscard]] const harness::FuzzViolation* worst(const harness::FuzzReport& report);
/// The command that shows the first finding again, or, without one or where a seed does not make it, all of it.
[[nodiscard]] std::string reproduce_text(const harness::FuzzReport& report);

}  // namespace lockproof::execution
