// SPDX-License-Identifier: Apache-2.0
// Contention: who says when clients ask for the lock. Where the search says it, a client may also never ask; so
// whatever is judged against a bound in time, such as deadlock-freedom, is searched apart, with clients that ask as the
// scenario is written (docs/semantics/asking.md).
#pragma once

#include <functional>
#include <string>

#include "sim/explore/exploration.hpp"

namespace lockproof::sim {

/// Lets clients ask freely, but for `as_written`, which takes that back; and but for those that come by a period.
void contend(harness::Scenario& scenario, harness::Contention contention);
[[nodiscard]] harness::Scenario as_written(harness::Scenario scenario);

/// For schedules drawn at random: clients ask at asking instants, but at the latest when the scenario says, so that
/// bounds in time can be judged in the same run.
[[nodiscard]] harness::Scenario asking_sooner(harness::Scenario scenario);

using Search = std::function<Exploration(const harness::Scenario&, const Limits&)>;

/// Searches with this engine: once, or, where clients ask freely and a bound in time is stated, once with and once
/// without that, and adds up what both have found.
[[nodiscard]] Exploration explore_contended(const harness::Scenario& scenario, const Limits& limits,
                                            const Search& search);

/// By the schedules that judge the property.
[[nodiscard]] const Tested& tested(const Exploration& found, const std::string& property);

}  // namespace lockproof::sim
