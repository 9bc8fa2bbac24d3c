// SPDX-License-Identifier: Apache-2.0
// Struck: the faults of a history, each from its strike to its end.
#pragma once

#include <string_view>
#include <vector>

#include "harness/history/history.hpp"

namespace lockproof::check {

struct Struck {
  harness::HostIndex host;
  harness::HostIndex peer;
  std::string_view kind;  // of the history's own text
  int number;             // in the scenario, from 1
  Duration from, until;
};

/// In the order in which they struck. The history must outlive them.
[[nodiscard]] std::vector<Struck> faults_in(const harness::History& history);

}  // namespace lockproof::check
