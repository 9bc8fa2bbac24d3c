// SPDX-License-Identifier: Apache-2.0
// How to judge a real run on a machine that was late. The run may not have been what the scenario describes: an
// unexpected result may then come from the machine, and the run is repeated. A run that was on time is never repeated,
// nor is one whose result lateness cannot explain.
#pragma once

#include <string>
#include <vector>

#include "harness/check/expectation.hpp"

namespace lockproof::check {

inline constexpr std::size_t attempts_most = 3;         // attempts at a real run, including the first one
inline constexpr std::int64_t late_us_allowed = 5'000;  // allowed lateness of the machine; an idle one stays below it
inline constexpr std::int64_t lateness_of_bounds = 10;  // a bound is missed by several steps, each of which may be late

[[nodiscard]] bool too_late(const harness::History& history);

/// Whether a machine that was late may be the reason for everything that is not as expected. It may be if an expected
/// violation did not occur or occurred as another kind, if the run showed nothing, if a bound of time was missed, or if
/// a client outlived its deadline. It is not if the lock was expected to hold: two entitled holders, or a lock taken
/// from its owner, break the lock's promise whatever the machine did.
[[nodiscard]] bool lateness_may_explain(const std::vector<Compared>& compared);

/// Whether a run on a machine that was late should be made again: something is not as expected, and lateness may be the
/// reason. `stated`: the scenario says what it expects of real runs. Where it does not, clean runs that show nothing
/// are as good as they can be, and only a violation is worth another try.
[[nodiscard]] bool worth_another_try(const std::vector<Compared>& compared, bool stated);

/// What stays violated if the machine is given the benefit of the doubt: a bound of time ([judge]) counts as missed
/// only if it is missed by more than `lateness_of_bounds` times what the machine was late by. What would not be
/// violated then becomes `unknown`. What has no bound of time is left as it is, and so is what would miss any bound.
void give_time(std::vector<Finding>& findings, const harness::History& history, const harness::Scenario& scenario);

/// For a last attempt that was late as well: what is not as expected becomes undecided, with this reason. A violation
/// that was not expected remains a violation, and so does a bound of time that would be missed however long it were.
void leave_undecided(std::vector<Compared>& compared, const std::string& reason);

}  // namespace lockproof::check
