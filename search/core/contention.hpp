// SPDX-License-Identifier: Apache-2.0
// Contention: whether the search or the scenario decides when clients ask for the lock. Where the search does, a client
// may also never ask; so properties with a bound in time, such as deadlock-freedom, are searched separately, with
// clients that ask as the scenario is written (docs/semantics/asking.md).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "harness/check/properties.hpp"
#include "search/core/exploration.hpp"

namespace lockproof::sim {

/// Lets clients ask freely; `as_written` takes that back, and clients that come by a period are excepted.
void contend(harness::Scenario& scenario, harness::Contention contention);
[[nodiscard]] harness::Scenario as_written(harness::Scenario scenario);

/// For schedules drawn at random: clients ask at asking instants, but at the latest when the scenario says, so that
/// bounds in time can be judged in the same run.
[[nodiscard]] harness::Scenario asking_sooner(harness::Scenario scenario);

using Search = std::function<Exploration(const harness::Scenario&, const Limits&)>;

/// Whether the scenario bounds the property in time.
[[nodiscard]] bool is_timed(const harness::Scenario& scenario, const std::string& name);

/// For an engine of points. Throws harness::InputError for clients that ask as written, from any instant of a window.
/// `zones_lack`: the reason, as a noun, for which zones cannot search it either, if that is known.
void require_start(const harness::Scenario& scenario, std::string_view zones_lack);
/// As require_start. No state of a search tells whose the lock is, or how far the event is that ends a fault. Throws
/// harness::InputError for a scenario in which a fault is placed by the one, or ends by the other.
void require_searchable(const harness::Scenario& scenario);

/// Searches with an engine of points: once, or, where clients ask freely and a bound in time is stated or
/// Limits::written_first, both with clients that ask as written and with those that ask freely, and adds up the two
/// results. Throws as require_searchable.
[[nodiscard]] Exploration explore_contended(const harness::Scenario& scenario, const Limits& limits,
                                            const Search& search);
/// The same, with any engine.
[[nodiscard]] Exploration explore_both_askings(const harness::Scenario& scenario, const Limits& limits,
                                               const Search& search);

/// The scenario without bounds that a client can break by not asking.
[[nodiscard]] harness::Scenario untimed(harness::Scenario scenario);
/// Whether clients ask as written, and one of them starts in a window.
[[nodiscard]] bool has_open_start(const harness::Scenario& scenario);
/// The result of a search with clients that ask as written, after which those that ask freely were not searched.
[[nodiscard]] Exploration without_free_asks(Exploration polled);
/// Adds what only a search with clients that ask as written has judged: properties with a bound in time.
void add_bounds_in_time(Exploration& all, Exploration polled, const harness::Scenario& scenario);

/// Whether it is judged by a bound that the scenario states, and that a client can break by not asking.
[[nodiscard]] bool is_bounded_in_time(const check::Property& property, const harness::Scenario& scenario);
/// Whether any property is.
[[nodiscard]] bool states_bound_in_time(const harness::Scenario& scenario);

/// The part of the result from the schedules that judge the property.
[[nodiscard]] const TestCoverage& tested(const Exploration& found, const std::string& property);

}  // namespace lockproof::sim
