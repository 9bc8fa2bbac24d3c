// SPDX-License-Identifier: Apache-2.0
// What to make of a real run on a machine that was late. It may not have been what the scenario describes: then a miss
// says something about the machine, and the run is worth another try. Never of a run that was on time, and never where
// lateness is no excuse.
#pragma once

#include <string>
#include <vector>

#include "harness/check/expectation.hpp"

namespace lockproof::check {

inline constexpr std::size_t attempts_most = 3;         // at a real run, the first one included
inline constexpr std::int64_t late_us_allowed = 5'000;  // of the machine; a quiet one stays below it

[[nodiscard]] bool too_late(const harness::History& history);

/// Whether a machine that was late may be the reason for all that is not as expected. It may, where an expected
/// violation did not come or came as another kind, where the run showed nothing, where a bound of time was missed, and
/// where a client outlived its deadline. Where the lock was to come through unbroken, two entitled holders or a lock
/// taken from its owner break what it promises, whatever brought it about.
[[nodiscard]] bool lateness_may_explain(const std::vector<Compared>& compared);

/// Whether a run on a machine that was late should be made again: something is not as expected, and lateness may be the
/// reason. `stated`: the scenario says what it expects of real runs. Where it does not, clean runs that show nothing
/// are as good as they can be, and only a violation is worth another try.
[[nodiscard]] bool worth_another_try(const std::vector<Compared>& compared, bool stated);

/// The last attempt was late as well: what is not as expected could not be told, with this reason. But a violation that
/// was not expected stays one.
void leave_undecided(std::vector<Compared>& compared, const std::string& reason);

}  // namespace lockproof::check
