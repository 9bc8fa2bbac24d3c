// SPDX-License-Identifier: Apache-2.0
// What a comparison of a simulated service with a real one ends with: the difference, or what was answered.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace lockproof::cli {

struct ToldDifference {
  std::size_t steps;
  std::string all, simulated, real;
};
/// Prints it. The exit code.
int end_of_conformance(const std::optional<ToldDifference>& difference,
                       const std::map<std::string, std::uint64_t>& replies);

/// The same of a service's own report.
template <class Report>
int end_of_conformance(const Report& report) {
  std::optional<ToldDifference> told;
  if (const auto& found = report.difference) {
    told = ToldDifference{found->steps.size(), shown(found->steps), found->simulated, found->real};
  }
  return end_of_conformance(told, report.replies);
}

}  // namespace lockproof::cli
