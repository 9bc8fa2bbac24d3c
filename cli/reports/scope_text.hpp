// SPDX-License-Identifier: Apache-2.0
// What a search was about, in words: the same in every command that searches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/scenario/scenario.hpp"
#include "search/core/exploration.hpp"

namespace lockproof::cli {

/// "1 state", "2 states".
[[nodiscard]] std::string plural(std::uint64_t n, const char* what);

/// "with 2 faults (pause of client-1 for 11s, client-1 enters; …)", or "without a fault".
[[nodiscard]] std::string with_faults(const std::vector<harness::Fault>& faults);

/// "2 clients x 1 round x 5 attempts on 1 server, at most 1 fault of: pause, crash".
[[nodiscard]] std::string scope_text(const harness::Scenario& searched, const harness::Bounds& budget);

/// When clients ask: what a verdict depends on and its reader would not think of.
[[nodiscard]] std::vector<std::string> asking_phrases(const harness::Scenario& searched, const sim::Exploration& found);

}  // namespace lockproof::cli
