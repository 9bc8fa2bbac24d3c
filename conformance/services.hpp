// SPDX-License-Identifier: Apache-2.0
// The comparisons that there are: a row for each.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "conformance/core/mutant_names.hpp"
#include "conformance/core/report.hpp"

namespace lockproof::conformance {

struct ComparisonRow {
  std::string_view name;  // "redis-nodes"
  Report (*compare)(const Options& options);
  std::vector<MutantName> (*mutants)();
};

[[nodiscard]] std::span<const ComparisonRow> comparisons();

}  // namespace lockproof::conformance
