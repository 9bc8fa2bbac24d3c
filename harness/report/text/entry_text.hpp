// SPDX-License-Identifier: Apache-2.0
// What the entries of a budget are called, in text and in names of files.
#pragma once

#include <string>
#include <vector>

#include "harness/scenario/scenario.hpp"

namespace lockproof::harness {

/// "pause (client)", "half-open".
[[nodiscard]] std::string entry_label(const Scenario& scenario, const BudgetedFault& entry);

/// The same with its amount, where all forms have one, and with how often: "pause 1s (client), twice".
[[nodiscard]] std::string entry_text(const Scenario& scenario, const BudgetedFault& entry);

/// A label for each entry: where several would have the same one, with the amount, and with a number if need be.
[[nodiscard]] std::vector<std::string> entry_labels(const Scenario& scenario, const std::vector<BudgetedFault>& budget);

/// Labels as a part of a file's name: "pause-client+crash"; "no-fault" if there are none.
[[nodiscard]] std::string in_a_name(const std::vector<std::string>& labels);

}  // namespace lockproof::harness
