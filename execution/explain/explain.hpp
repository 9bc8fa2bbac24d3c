// SPDX-License-Identifier: Apache-2.0
// Explain: what happened in a violation, in five sentences: who believed what, which assumption broke, when it could no
// longer be averted, what would have prevented it, and who says so. Each of them rests on a run or a search.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "execution/explain/decisive.hpp"
#include "harness/history/history.hpp"
#include "harness/report/answers/explained.hpp"
#include "search/minimize/trials.hpp"
#include "search/search.hpp"

namespace lockproof::execution {

struct ExplainOrder {
  search::Limits limits{.work = 100'000};                   // of each search
  std::function<void(const std::string& doing)> tell = {};  // how far it is
};

/// A violation, and the schedule that shows it.
struct Violation {
  harness::Scenario scenario;
  harness::History history;
  check::Finding finding;
};
/// As explain finds it.
[[nodiscard]] std::optional<Violation> violation_of(const harness::Scenario& scenario, const std::string& property,
                                                    const harness::History* real, const ExplainOrder& order);

/// `property`: the one to explain; empty: the worst. `real`: a history of real servers, whose violation is explained;
/// null: the scenario's own run, or, if that breaks nothing, the first schedule of its [explore] that does. Nothing:
/// nothing is violated, as far as was searched.
[[nodiscard]] std::optional<harness::ExplainedReport> explain(const harness::Scenario& scenario,
                                                              const std::string& property, const harness::History* real,
                                                              const ExplainOrder& order);

}  // namespace lockproof::execution
