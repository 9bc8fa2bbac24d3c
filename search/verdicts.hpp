// SPDX-License-Identifier: Apache-2.0
// Verdicts of an answer: one for each property. `holds` is said only where every schedule was searched, and some put
// the property to the test.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/check/properties.hpp"
#include "search/search.hpp"

namespace lockproof::search {

/// The finding of a property that no schedule breaks, where exercised is violated.
inline constexpr const char* nothing_shown = "nothing was shown: see exercised";

/// Runs the violation's schedule again, as a scenario with a title, whose clients ask at round instants. Nothing if the
/// run does not show it, or if a program did something else.
[[nodiscard]] std::optional<sim::Counterexample> enact(const Answer& answer, const Question& question,
                                                       const sim::ViolationKind& way,
                                                       const sim::ShortestViolation& broken,
                                                       const std::stop_token& stop);
/// Fills Answer::counterexamples. Violations that a more serious kind hides are removed, and those of properties that a
/// program does not claim.
void enact_all(Answer& answer, const Question& question, const std::stop_token& stop);

/// One finding for each property. REQUIRES: enact_all.
[[nodiscard]] std::vector<check::Finding> findings_of(const Answer& answer);

/// The counterexample to begin with: of what a lock can prevent before what none can, then with the fewest faults of
/// the budget, then of the worst property: mutual exclusion if there is one. Null: none.
[[nodiscard]] const std::pair<const sim::ViolationKind, sim::Counterexample>* first_counterexample(
    const Answer& answer);

/// Whether no lock of the service can prevent the violation as it is shown.
[[nodiscard]] bool is_unpreventable(const Answer& answer, const sim::ViolationKind& way);
/// Those violations, as lines; empty: there is none.
[[nodiscard]] std::string unpreventable_text(const Answer& answer);
/// … are said there, and not in the property's finding.
void leave_out_unpreventable(const Answer& answer, check::Finding& finding);

}  // namespace lockproof::search
