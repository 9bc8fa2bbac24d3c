// SPDX-License-Identifier: Apache-2.0
// How to judge a real run on a machine that was late. The run may not have been what the scenario describes: an
// unexpected result may then come from the machine, and the run is repeated. A run that was on time is never repeated,
// nor is one with a violation that exceeds what its lateness can explain: that one decides.
#pragma once

#include <string>
#include <vector>

#include "harness/check/expectation.hpp"
#include "harness/check/late_steps.hpp"

namespace lockproof::check {

inline constexpr std::size_t attempts_most = 3;         // attempts at a real run, including the first one
inline constexpr std::int64_t late_us_allowed = 5'000;  // allowed lateness of the machine; an idle one stays below it

[[nodiscard]] bool too_late(const harness::History& history);

/// A real run's findings, and for which of them the machine's lateness may be the reason.
struct RealFindings {
  std::vector<Finding> all;
  std::vector<bool> excused;  // of the violations
};
/// Of each property, a violation that lateness cannot explain, if there is one. A bound of time ([judge]) must be
/// missed by more than `lateness_of_bounds` times what the machine was late by, or be one that would be missed however
/// long it were. Excuses says it of the rest.
[[nodiscard]] RealFindings judge_real(const harness::History& history, const harness::Scenario& scenario);
[[nodiscard]] std::vector<ComparedFinding> compare(RealFindings findings,
                                                   const std::optional<harness::Expectations>& expected);

/// The findings without the violations for which lateness may be the reason: these become `unknown`.
[[nodiscard]] std::vector<Finding> without_excused(RealFindings findings);

/// Whether a machine that was late may be the reason for everything that is not as expected. It is not for a violation
/// of a property that was expected to hold, if its lateness cannot explain it.
[[nodiscard]] bool lateness_may_explain(const std::vector<ComparedFinding>& compared);

/// Whether a run on a machine that was late should be made again: something is not as expected, and lateness may be the
/// reason. `stated`: the scenario says what it expects of real runs. Where it does not, clean runs that show nothing
/// are as good as they can be, and only a violation is worth another try.
[[nodiscard]] bool worth_another_try(const std::vector<ComparedFinding>& compared, bool stated);

/// Makes a violation `unknown`, with this reason.
void withdraw(Finding& finding, const std::string& reason);

/// For the last attempt that was late: what is not as expected becomes undecided, with this reason. What lateness
/// cannot explain remains a violation. `stated` as above: where it is not, clean properties stay as they are.
void leave_undecided(std::vector<ComparedFinding>& compared, bool stated, const std::string& reason);

}  // namespace lockproof::check
