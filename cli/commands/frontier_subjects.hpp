// SPDX-License-Identifier: Apache-2.0
// The searches that lockproof frontier makes of an algorithm: what is searched, with which faults.
#pragma once

#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "harness/scenario/scenario.hpp"
#include "sim/explore/results/frontier.hpp"

namespace lockproof::cli {

/// One search: a scenario, and what may go wrong in it.
struct FrontierSearch {
  bool deepens = false;              // it is made with one fault first, and with two if that was small
  std::string subject;               // an algorithm, or a file
  std::string topology;              // "1 server"
  harness::Scenario scenario;        // not bounded yet
  harness::Bounds bounds;            // its budget
  std::vector<std::string> entries;  // of the budget, as TOML; empty: they stand in a file
  std::string head;                  // the scenario without them, as TOML; empty: it is a file
};

/// Of a lock on one server: that server, and a master with its replica; the latter only, if it needs one. Of Redlock:
/// three servers. `max_faults`: in one run; nothing: one, and two where that is not too large.
[[nodiscard]] std::vector<FrontierSearch> frontier_searches(const Algorithm& algorithm, std::optional<int> max_faults);

/// The scenario with these entries of the budget only, as TOML: what shows that they do no harm.
[[nodiscard]] std::string with_entries(const FrontierSearch& search, int max_faults, const sim::FaultSet& entries);

}  // namespace lockproof::cli
