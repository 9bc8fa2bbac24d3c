// SPDX-License-Identifier: Apache-2.0
// What a search was about, in words: the same in every command that searches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/report/text/fault_text.hpp"
#include "harness/report/text/plural.hpp"
#include "harness/scenario/scenario.hpp"
#include "search/search.hpp"

namespace lockproof::execution {

using harness::plural;
using harness::with_faults;

/// "2 clients x 1 round x 5 attempts on 1 server, at most 1 fault of: pause, crash".
[[nodiscard]] std::string scope_text(const harness::Scenario& searched, const harness::Bounds& budget);

/// When clients ask: what a verdict depends on and its reader would not think of.
[[nodiscard]] std::vector<std::string> asking_phrases(const harness::Scenario& searched, const sim::Exploration& found);

}  // namespace lockproof::execution
