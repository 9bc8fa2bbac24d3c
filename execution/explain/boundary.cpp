// SPDX-License-Identifier: Apache-2.0
#include "execution/explain/boundary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "execution/explain/amounts.hpp"
#include "execution/explain/derived.hpp"
#include "harness/check/properties.hpp"
#include "sim/run.hpp"

namespace lockproof::execution {
namespace {

using harness::BoundaryPoint;
using harness::Scenario;
using Answer = BoundaryPoint::Answer;
using Number = std::int64_t;

/// Of what the scenario has, in eighths: on both sides, closer where it is likelier to change.
constexpr Number looked_at[] = {1, 2, 4, 6, 8, 10, 12, 16, 32, 64};

class Search {
 public:
  Search(const Scenario& scenario, Amount amount, std::string property, const ExplainOrder& order)
      : scenario_(scenario), amount_(std::move(amount)), property_(std::move(property)), order_(order) {}

  void run(harness::BoundaryReport& report) {
    std::set<Number> values{amount_.least, amount_.most};
    for (const Number eighths : looked_at) {
      values.insert(std::clamp(amount_.now * eighths / 8, amount_.least, amount_.most));
    }
    for (const Number value : values) at(value);
    for (auto one = values.begin(); std::next(one) != values.end(); ++one) narrow(*one, *std::next(one));
    for (const auto& [value, point] : points_) report.points.push_back(point);
    report.derived = on_paper();
  }

 private:
  Answer at(Number value) {
    if (const auto known = points_.find(value); known != points_.end()) return known->second.answer;
    BoundaryPoint point{value, amount_.text(value), Answer::unknown, 0};
    if (order_.tell) order_.tell(fmt::format("value {}, {} are done", point.text, points_.size()));
    const Scenario one = with(value);
    const auto asked = [&](const std::string& name) { return name == property_; };
    try {
      const sim::AnyViolation found = sim::any_way(one, asked, order_.limits);
      point.states = found.states;
      point.answer = found.answer == sim::Answer::breaks  ? Answer::breaks
                     : found.answer == sim::Answer::holds ? Answer::holds
                                                          : Answer::unknown;
    } catch (const std::runtime_error&) {  // a search that cannot go on decides nothing
    }
    if (point.answer == Answer::unknown && breaks_once(one)) point.answer = Answer::breaks;
    return points_.emplace(value, std::move(point)).first->second.answer;
  }

  [[nodiscard]] Scenario with(Number value) const {
    Scenario one = scenario_;
    amount_.set(one, value);
    return one;
  }

  /// What a search could not decide, a run may show.
  [[nodiscard]] bool breaks_once(const Scenario& one) const {
    const auto findings = check::judge(sim::run(one, one.seed), one);
    const auto found = std::ranges::find(findings, property_, &check::Finding::property);
    return found != findings.end() && found->verdict == check::Verdict::violated;
  }

  void narrow(Number below, Number above) {
    const Answer first = at(below), last = at(above);
    if (first == last || first == Answer::unknown || last == Answer::unknown) return;
    while (above - below > 1) {
      const Number middle = below + (above - below) / 2;
      const Answer found = at(middle);
      if (found == Answer::unknown) return;
      (found == first ? below : above) = middle;
    }
  }

  /// Where the record's inequality changes in the same range.
  [[nodiscard]] std::optional<harness::DerivedEdge> on_paper() const {
    Number below = amount_.least, above = amount_.most;
    const auto first = derived(with(below), property_), last = derived(with(above), property_);
    if (!first || !last) return std::nullopt;
    harness::DerivedEdge edge{first->formula, first->record, "", "", false};
    if (first->breaks == last->breaks) return edge;
    while (above - below > 1) {
      const Number middle = below + (above - below) / 2;
      const auto found = derived(with(middle), property_);
      if (!found) return std::nullopt;
      (found->breaks == first->breaks ? below : above) = middle;
    }
    edge.below = amount_.text(below);
    edge.above = amount_.text(above);
    const auto searched = [&](Number value, bool breaks) {
      const auto point = points_.find(value);
      return point != points_.end() && point->second.answer == (breaks ? Answer::breaks : Answer::holds);
    };
    edge.agrees = searched(below, first->breaks) && searched(above, last->breaks);
    return edge;
  }

  const Scenario& scenario_;
  const Amount amount_;
  const std::string property_;
  const ExplainOrder& order_;
  std::map<Number, BoundaryPoint> points_;
};

}  // namespace

harness::BoundaryReport boundary(const Scenario& scenario, const std::string& key, const std::string& property,
                                 const ExplainOrder& order) {
  const auto violation = violation_of(scenario, property, nullptr, order);
  const Scenario& shown = violation ? violation->scenario : scenario;
  const Amount amount = amount_of(shown, key);
  harness::BoundaryReport report;
  report.file = scenario.called;
  report.title = scenario.title.empty() ? scenario.name : scenario.title;
  report.property = violation ? violation->finding.property : property.empty() ? "mutual-exclusion" : property;
  report.key = amount.key;
  report.what = amount.what;
  report.now = amount.text(amount.now);
  report.grid = amount.text(1);
  Search(shown, amount, report.property, order).run(report);
  return report;
}

}  // namespace lockproof::execution
