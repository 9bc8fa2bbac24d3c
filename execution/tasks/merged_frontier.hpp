// SPDX-License-Identifier: Apache-2.0
// What searches of some entries of a budget say together of all of them.
#pragma once

#include <vector>

#include "harness/report/frontier.hpp"

namespace lockproof::execution {

/// REQUIRES: the parts are of one lock on the same servers, and at least one. Each set of at most as many entries as
/// there may be faults is in one of them. Their assumptions are united, in the order of the parts.
/// Entries of one label are one entry.
[[nodiscard]] harness::FrontierReport merged_frontier(const std::vector<harness::FrontierReport>& parts);

}  // namespace lockproof::execution
