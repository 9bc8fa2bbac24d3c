// SPDX-License-Identifier: Apache-2.0
// What minimize found, for people and for machines.
#pragma once

#include <string>

#include "execution/explore/explore_report.hpp"
#include "search/minimize/minimize.hpp"

namespace lockproof::execution {

struct MinimizeReport {
  harness::Scenario scenario;  // as it was given
  std::string file;
  sim::Minimization found;
  std::uint64_t states_most = 0;  // of each search
  std::string stopped;            // why before its end; empty: it was not
  std::string saved;              // the file of the smallest scenario; empty: none
  std::string reproduce;
};

/// "mutual-exclusion (outlived)"
[[nodiscard]] std::string way_text(const sim::ViolationKind& way);
/// Before and after, what was dropped or became smaller, what is needed, what it took.
[[nodiscard]] std::string minimize_text(const MinimizeReport& report, const harness::Style& style);
/// "longer": of a scenario with less.
[[nodiscard]] std::string_view answer_word(sim::Answer answer);
[[nodiscard]] std::string minimize_json(const MinimizeReport& report);

}  // namespace lockproof::execution
