// SPDX-License-Identifier: Apache-2.0
// What the entries of a budget are called, in text and in names of files.
#pragma once

#include <string>
#include <vector>

#include "harness/scenario/scenario.hpp"

namespace lockproof::cli {

/// "pause (client)", "half-open".
[[nodiscard]] std::string fault_label(const harness::Scenario& scenario, const harness::BudgetedFault& entry);

/// Labels as a part of a file's name: "pause-client+crash"; "no-fault" if there are none.
[[nodiscard]] std::string in_a_name(const std::vector<std::string>& labels);

}  // namespace lockproof::cli
