// SPDX-License-Identifier: Apache-2.0
// Drift: clocks that run wrong are further apart in each period, so that no period stands for the others.
#pragma once

#include <cstdint>
#include <string>

#include "execution/review/review_scenario.hpp"
#include "execution/review/review_search.hpp"

namespace lockproof::execution {

/// Whether the work of a period is done twice when a client's clock has run slow since the start: of which period, and
/// a run that shows it. `later` of the setting is how far apart the clients begin without that. Held: a search of
/// clients that begin further and further apart found nothing. Unknown: it was not run that far.
/// REQUIRES: a period, and a rate.
[[nodiscard]] harness::ReviewCell drift_cell(const Review& review, Setting setting, const std::string& name,
                                             const search::Limits& limits, std::uint64_t& states);

}  // namespace lockproof::execution
