// SPDX-License-Identifier: Apache-2.0
#include "execution/explore/lease_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "harness/input_error.hpp"
#include "harness/scenario/names.hpp"
#include "search/verdicts.hpp"

namespace lockproof::execution {
namespace {

using check::Verdict;
using harness::Scenario;
using Number = std::int64_t;
using Verdicts = std::map<std::string, Verdict>;  // by property

/// So many units a duration is made longer, to see how far an edge moves; and times, how far at most it is looked for.
constexpr Number shift = 8, times_least = -3, times_most = 12;
/// Leases that are searched first, in parts of the longest.
constexpr Number parts = 64, first_parts[] = {1, 2, 4, 8, 16, 24, 32, 48, 64};

/// A duration that an edge may be made of.
struct Variable {
  std::string name;
  Duration value{};
  std::function<void(search::Question&, Duration by)> shift;
};

void lengthen(std::vector<harness::Fault>& faults, harness::FaultKind kind, Duration by) {
  for (harness::Fault& fault : faults) {
    if (fault.kind != kind) continue;
    if (fault.lasts > Duration{}) fault.lasts += by;
    if (fault.by > Duration{}) fault.by += by;
  }
}

/// Of one kind of fault, the greatest amount, if it has one.
void add_fault(const std::vector<harness::Fault>& faults, std::map<harness::FaultKind, Duration>& most) {
  for (const harness::Fault& fault : faults) {
    const Duration amount = std::max(fault.lasts, fault.by);
    if (amount > Duration{}) most[fault.kind] = std::max(most[fault.kind], amount);
  }
}

std::vector<Variable> variables_of(const search::Question& question) {
  const Scenario& scenario = question.scenario;
  std::vector<Variable> all;
  const auto is_hold = [](const harness::Work& work) { return work.kind == harness::Work::Kind::hold; };
  Duration work{};
  for (const harness::Work& one : scenario.clients.front().plan.work) work += is_hold(one) ? one.lasts : Duration{};
  if (work > Duration{}) {
    all.push_back({"work", work, [=](search::Question& asked, Duration by) {
                     for (harness::ClientSpec& client : asked.scenario.clients) {
                       const auto hold = std::ranges::find_if(client.plan.work, is_hold);
                       if (hold != client.plan.work.end()) hold->lasts += by;
                     }
                   }});
  }
  std::map<harness::FaultKind, Duration> faults;
  if (!question.alone) add_fault(scenario.faults, faults);
  for (const harness::BudgetedFault& entry : question.bounds.budget) {
    if (question.bounds.max_faults > 0) add_fault(entry.forms, faults);
  }
  for (const auto& [kind, most] : faults) {
    all.push_back({std::string(harness::name(kind)), most, [kind = kind](search::Question& asked, Duration by) {
                     lengthen(asked.scenario.faults, kind, by);
                     for (harness::BudgetedFault& entry : asked.bounds.budget) lengthen(entry.forms, kind, by);
                   }});
  }
  const harness::Window& latency = question.bounds.latency.value_or(scenario.network.latency);
  const auto set_latency = [](Duration harness::Window::*bound) {
    return [bound](search::Question& asked, Duration by) {
      if (asked.bounds.latency) (*asked.bounds.latency).*bound += by;
      asked.scenario.network.latency.*bound += by;
    };
  };
  if (latency.least == latency.most) {
    all.push_back({"latency", latency.most, [=](search::Question& asked, Duration by) {
                     set_latency (&harness::Window::least)(asked, by);
                     set_latency (&harness::Window::most)(asked, by);
                   }});
  } else {
    all.push_back({"greatest latency", latency.most, set_latency(&harness::Window::most)});
    all.push_back({"least latency", latency.least, set_latency(&harness::Window::least)});
  }
  all.push_back({"time-out", scenario.network.timeout,
                 [](search::Question& asked, Duration by) { asked.scenario.network.timeout += by; }});
  return all;
}

Duration unit_of(const Scenario& scenario) {
  return std::max(Duration(scenario.algorithm->lease_unit), Duration(milliseconds(1)));
}

bool are_equal(const std::vector<Variable>& some, const std::vector<Variable>& others) {
  return std::ranges::equal(some, others, {}, &Variable::value, &Variable::value);
}

class LeaseSearch {
 public:
  LeaseSearch(const LeaseOrder& order, const search::Question& sample)
      : order_(order), variables_(variables_of(sample)), scenario_(sample.scenario), unit_(unit_of(sample.scenario)),
        says_leases_(!are_equal(variables_, variables_of(order.ask(2 * sample.scenario.algorithm->lease)))) {}

  LeaseReport run() {
    Duration longest{};
    for (const Variable& one : variables_) longest += 2 * one.value;
    const Shifts none(variables_.size(), 0);
    const Number most = std::max<Number>(parts, (longest + unit_ - Duration(1)) / unit_);
    for (const Number part : first_parts) leases_.insert(std::max<Number>(1, most * part / parts));
    for (const Number lease : leases_) verdicts(none, lease);
    std::set<std::string> properties;
    for (const Number lease : leases_) {
      for (const auto& [property, verdict] : verdicts(none, lease)) properties.insert(property);
    }
    LeaseReport report;
    report.scenario = scenario_;
    for (const check::Property& property : check::properties_of(report.scenario)) {
      if (properties.contains(std::string(property.name))) report.sets.push_back(set_of(std::string(property.name)));
    }
    report.searches = searched_.size();
    report.states = states_;
    report.was_stopped = order_.limits.stop.stop_requested();
    return report;
  }

 private:
  using Shifts = std::vector<Number>;  // of each variable, in units

  const Verdicts& verdicts(const Shifts& shifts, Number lease) {
    const auto [known, is_new] = searched_.try_emplace({shifts, lease});
    if (!is_new || order_.limits.stop.stop_requested()) return known->second;
    const std::string text = harness::to_text(unit_ * lease);
    if (order_.tell) order_.tell(fmt::format("lease {}, {} searches", text, searched_.size()));
    search::Question question = order_.ask(unit_ * lease);
    for (std::size_t i = 0; i < shifts.size(); ++i) {
      if (shifts[i] != 0) variables_[i].shift(question, unit_ * shifts[i]);
    }
    search::Answer answer = search::answer(question, order_.limits);
    search::enact_all(answer, question, order_.limits.stop_telling);
    states_ += answer.found.states;
    for (const check::Finding& finding : search::findings_of(answer)) {
      if (!finding.judged || finding.property == "exercised") continue;
      known->second.emplace(finding.property, finding.verdict);
    }
    return known->second;
  }

  Verdict verdict(const Shifts& shifts, Number lease, const std::string& property) {
    if (lease < 1) return Verdict::unknown;
    const Verdicts& all = verdicts(shifts, lease);
    const auto found = all.find(property);
    return found == all.end() ? Verdict::unknown : found->second;
  }

  /// The lease above the edge between these two. Nothing: there is none, or something between is unknown.
  std::optional<Number> edge(const Shifts& shifts, Number below, Number above, const std::string& property) {
    const Verdict first = verdict(shifts, below, property), last = verdict(shifts, above, property);
    if (first == last || first == Verdict::unknown || last == Verdict::unknown) return std::nullopt;
    while (above - below > 1) {
      const Number middle = below + (above - below) / 2;
      const Verdict found = verdict(shifts, middle, property);
      if (found == Verdict::unknown) return std::nullopt;
      (found == first ? below : above) = middle;
    }
    return above;
  }

  LeaseSet set_of(const std::string& property) {
    LeaseSet set{.property = property};
    const Shifts none(variables_.size(), 0);
    for (auto one = leases_.begin(); std::next(one) != leases_.end(); ++one) {
      const auto found = edge(none, *one, *std::next(one), property);
      if (!found) continue;
      LeaseEdge edge{unit_ * (*found - 1), unit_ * *found, verdict(none, *found, property) == Verdict::holds};
      if (edge.holds_above) fit(*found, property, edge);
      set.edges.push_back(std::move(edge));
    }
    for (const auto& [point, all] : searched_) {
      if (point.first != none) continue;
      set.points.push_back({unit_ * point.second, verdict(none, point.second, property)});
    }
    return set;
  }

  /// How often each duration is in the edge, and whether that is right elsewhere. Where one is said in leases, it has
  /// no value of its own.
  void fit(Number found, const std::string& property, LeaseEdge& into) {
    if (says_leases_) return;
    Shifts times(variables_.size(), 0);
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      Shifts longer(variables_.size(), 0);
      longer[i] = shift;
      const auto moved =
          edge(longer, std::max<Number>(1, found + times_least * shift), found + times_most * shift, property);
      if (!moved || (*moved - found) % shift != 0) return;
      times[i] = (*moved - found) / shift;
    }
    for (const Number way : {1, -1}) {
      Shifts other(variables_.size(), 0);
      Number expected = found;
      for (std::size_t i = 0; i < variables_.size(); ++i) {
        const Number by = shift * (1 + static_cast<Number>(i) % 3) / 2;
        const bool is_long = variables_[i].value >= unit_ * by * 2;
        other[i] = way > 0 || !is_long ? by + (way > 0 ? 0 : 1) : -by;
        expected += times[i] * other[i];
      }
      const bool is_right = verdict(other, expected, property) == Verdict::holds &&
                            verdict(other, expected - 1, property) == Verdict::violated;
      if (!is_right) return;
    }
    into.rest = into.above;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      if (times[i] == 0) continue;
      into.terms.push_back({variables_[i].name, variables_[i].value, times[i]});
      into.rest -= variables_[i].value * times[i];
    }
  }

  const LeaseOrder& order_;
  const std::vector<Variable> variables_;
  const Scenario scenario_;
  const Duration unit_;
  const bool says_leases_;
  std::set<Number> leases_;
  std::map<std::pair<Shifts, Number>, Verdicts> searched_;
  std::uint64_t states_ = 0;
};

}  // namespace

LeaseReport leases_of(const LeaseOrder& order) {
  const search::Question sample = order.ask(order.ask(seconds(1)).scenario.algorithm->lease);
  if (const std::string why = search::why_no_zones(sample); !why.empty()) {
    throw harness::InputError(sample.scenario.file, 0,
                              fmt::format("lease = \"?\" is answered by zones, which cannot search {}", why));
  }
  return LeaseSearch(order, sample).run();
}

bool is_decided(const LeaseReport& report) {
  const auto is_open = [](const LeaseSet::Point& point) { return point.verdict == Verdict::unknown; };
  return std::ranges::none_of(report.sets,
                              [&](const LeaseSet& set) { return std::ranges::any_of(set.points, is_open); });
}

}  // namespace lockproof::execution
