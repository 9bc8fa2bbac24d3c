// SPDX-License-Identifier: Apache-2.0
// Baseline: the results of an earlier check, and what has changed since. Runs are compared by file and world, and their
// properties by what was found of them, whatever was expected.
#pragma once

#include <string>
#include <vector>

#include "harness/report/verdicts.hpp"

namespace lockproof::harness {

struct BaselineChange {
  enum class Kind : std::uint8_t {
    changed,  // a property that was judged before comes out otherwise now
    fresh,    // a run that was not there
    gone,     // a run that was there, and is not in a check of the same worlds
  };
  Kind kind = Kind::changed;
  std::string file, world;
  std::string property, before, now;  // "violated (outlived)", if it has changed
};

struct BaselineReport {
  std::string file;  // the results that the runs were compared with
  std::vector<BaselineChange> changes;
  std::vector<std::string> left_out;  // worlds that were run only then
  /// Whether something that was checked before comes out otherwise, or is gone.
  [[nodiscard]] bool differs() const;
  /// "2 verdicts changed, 1 run new, 1 run gone"
  [[nodiscard]] std::string counts() const;
};

[[nodiscard]] std::string_view name(BaselineChange::Kind kind);  // "changed", "new", "gone"

/// `then` and `now` are runs of one check each.
[[nodiscard]] BaselineReport compared_with(const std::string& file, const std::vector<RunReport>& then,
                                           const std::vector<RunReport>& now);
[[nodiscard]] std::string baseline_text(const BaselineReport& report, const Style& style);

}  // namespace lockproof::harness
