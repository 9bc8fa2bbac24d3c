// SPDX-License-Identifier: Apache-2.0
// Trace: a history as a table for people, one line per event. Polling is folded: of a row of attempts that all found
// the lock busy, the first and the last are shown.
#pragma once

#include <string>

#include "harness/history/history.hpp"
#include "harness/report/text/style.hpp"

namespace lockproof::harness {

/// With a heading that explains the columns.
[[nodiscard]] std::string trace(const History& history, const Style& style);

}  // namespace lockproof::harness
