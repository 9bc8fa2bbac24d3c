// SPDX-License-Identifier: Apache-2.0
#include "execution/review/review_drift.hpp"

#include <fmt/format.h>

#include <optional>

#include "harness/report/text/fault_text.hpp"
#include "harness/report/text/told_fault.hpp"
#include "harness/scenario/file/parse.hpp"
#include "harness/scenario/file/write.hpp"
#include "search/minimize/trials.hpp"

namespace lockproof::execution {
namespace {

using harness::Concern;
using harness::in_seconds;
using harness::ReviewCause;
using harness::ReviewCell;

constexpr std::int64_t periods_most = 1000;  // of one run
constexpr Duration past = milliseconds(10);  // what frees the lock: whoever begins then finds it free

/// By how much a clock is behind after one more period.
Duration drift_of_a_period(const Review& review) {
  constexpr std::int64_t thousand = 1000, million = 1'000'000;  // of billionths, so that no product overflows
  return Duration(review.period->count() / thousand * review.clock_rate_ppb / million);
}

/// A run of so many periods in which client-2's clocks are slow from the start.
std::optional<ReviewCause> cause_in(const Review& review, Setting setting, const std::string& name,
                                    std::int64_t period) {
  const std::string property = "once-per-period";
  setting.periods = static_cast<int>(period);
  setting.faults =
      fmt::format("\n[[fault]]\nkind = \"clock-rate\"\ntarget = \"client-2\"\nat = \"0s\"\nrate = \"{}%\"\n",
                  harness::percent_text(-review.clock_rate_ppb));
  auto shown = sim::as_counterexample(harness::parse_scenario(name, scenario_of(review, setting)), {property, ""});
  if (!shown || shown->hidden) return std::nullopt;
  harness::Scenario& scenario = shown->scenario;
  ReviewCause cause{.words = fmt::format("{}, in period {}", harness::told(scenario.faults), period),
                    .label = fmt::format("clock-rate, in period {}", period),
                    .property = property,
                    .kind = "",
                    .faults = scenario.faults.size(),
                    .events = static_cast<int>(shown->history.events.size()),
                    .scenario = "",
                    .file = ""};
  scenario.title = fmt::format("{}: {}", property, cause.words);
  cause.scenario = scenario.text = harness::to_toml(scenario);
  return cause;
}

/// Of clients that both do the work when they begin so far apart.
ReviewCell broken_from(const Review& review, const Setting& setting, const std::string& name, Duration apart) {
  ReviewCell cell;
  const Duration further = apart - setting.later.front(), drift = drift_of_a_period(review);
  const std::int64_t period = drift > Duration{} ? (further.count() + drift.count() - 1) / drift.count() : 0;
  if (period > 0 && period <= periods_most) {
    if (auto cause = cause_in(review, setting, name, period)) {
      cell.verdict = ReviewCell::Verdict::broken;
      cell.causes.push_back(std::move(*cause));
      return cell;
    }
  }
  cell.verdict = ReviewCell::Verdict::unknown;
  cell.why = fmt::format("clients that begin {} apart both do the work, as clocks may have them do {}: not tried",
                         in_seconds(apart), period > 0 ? fmt::format("from period {} on", period) : "in the end");
  return cell;
}

}  // namespace

ReviewCell drift_cell(const Review& review, Setting setting, const std::string& name, const search::Limits& limits,
                      std::uint64_t& states) {
  setting.budget.clear();
  ReviewCell all{.verdict = ReviewCell::Verdict::held, .causes = {}, .why = ""};
  for (const Duration apart : {setting.work + past, Duration(setting.lease) + past}) {
    if (apart <= setting.later.front() || apart >= *review.period) continue;
    Setting drifted = setting;
    drifted.later = {apart};
    const ReviewSearch search(name, scenario_of(review, drifted), limits, {Concern::runs_twice});
    states += search.states();
    ReviewCell cell = search.cell(Concern::runs_twice);
    if (cell.verdict == ReviewCell::Verdict::broken) return broken_from(review, setting, name, apart);
    if (cell.verdict == ReviewCell::Verdict::unknown) all = std::move(cell);
  }
  return all;
}

}  // namespace lockproof::execution
