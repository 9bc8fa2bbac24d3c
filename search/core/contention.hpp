// SPDX-License-Identifier: Apache-2.0
// Contention: whether the search or the scenario decides when clients ask for the lock. Where the search does, a client
// may also never ask; so properties with a bound in time, such as deadlock-freedom, are searched separately, with
// clients that ask as the scenario is written (docs/semantics/asking.md).
#pragma once

#include <functional>
#include <string>

#include "search/core/exploration.hpp"

namespace lockproof::sim {

/// Lets clients ask freely; `as_written` takes that back, and clients that come by a period are excepted.
void contend(harness::Scenario& scenario, harness::Contention contention);
[[nodiscard]] harness::Scenario as_written(harness::Scenario scenario);

/// For schedules drawn at random: clients ask at asking instants, but at the latest when the scenario says, so that
/// bounds in time can be judged in the same run.
[[nodiscard]] harness::Scenario asking_sooner(harness::Scenario scenario);

using Search = std::function<Exploration(const harness::Scenario&, const Limits&)>;

/// No state of a search tells whose the lock is, or how far the event is that ends a fault. Throws harness::InputError
/// for a scenario in which a fault is placed by the one, or ends by the other.
void require_searchable(const harness::Scenario& scenario);

/// Searches with this engine: once, or, where clients ask freely and a bound in time is stated or
/// Limits::written_first, both with clients that ask as written and with those that ask freely, and adds up the two
/// results. Throws as require_searchable.
[[nodiscard]] Exploration explore_contended(const harness::Scenario& scenario, const Limits& limits,
                                            const Search& search);

/// Whether a property is judged by a bound that a client can break by not asking.
[[nodiscard]] bool states_bound_in_time(const harness::Scenario& scenario);

/// The part of the result from the schedules that judge the property.
[[nodiscard]] const Tested& tested(const Exploration& found, const std::string& property);

}  // namespace lockproof::sim
