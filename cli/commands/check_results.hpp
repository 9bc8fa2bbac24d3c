// SPDX-License-Identifier: Apache-2.0
// CheckResults: what came of the scenarios that were checked, wherever they ran: a line for each, then what was asked
// for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/arguments.hpp"
#include "harness/report/pull_request/pull_request.hpp"
#include "harness/scenario/scenario.hpp"

namespace lockproof::cli {

/// How many of them came out how.
class Tally {
 public:
  void add(check::Agreement one) {
    ++counts_[one];
    if (one == check::Agreement::no || (one == check::Agreement::unknown && worst_ == check::Agreement::yes))
      worst_ = one;
  }
  [[nodiscard]] check::Agreement worst() const { return worst_; }
  [[nodiscard]] std::size_t count_of(check::Agreement met) const { return counts_.contains(met) ? counts_.at(met) : 0; }

 private:
  std::map<check::Agreement, std::size_t> counts_;
  check::Agreement worst_ = check::Agreement::yes;
};

class CheckResults {
 public:
  /// Reads the baseline, so that a wrong one is refused before anything runs, and the same file may be written
  /// afterwards. Throws harness::InputError. REQUIRES: the arguments outlive it.
  explicit CheckResults(const Arguments& arguments);
  void add(harness::RunReport report);
  void add_unreadable(harness::UnreadableFile one);
  /// Prints and writes what the arguments ask for. Answers the exit code.
  int finish(const std::vector<harness::Scenario>& scenarios);

 private:
  const Arguments& arguments_;
  const bool as_text_;
  std::optional<std::vector<harness::RunReport>> before_;
  harness::PullRequest found_;
  Tally tally_;
};

}  // namespace lockproof::cli
