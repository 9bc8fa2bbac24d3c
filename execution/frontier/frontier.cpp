// SPDX-License-Identifier: Apache-2.0
#include "execution/frontier/frontier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>

#include "execution/explore/scope_text.hpp"
#include "harness/check/verdict_text.hpp"
#include "harness/report/text/assumptions.hpp"
#include "harness/report/text/entry_text.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/fault_table.hpp"
#include "search/core/contention.hpp"
#include "search/results/counterexample.hpp"
#include "search/results/vacuity.hpp"
#include "search/search.hpp"

namespace lockproof::execution {
namespace {

using harness::FrontierProperty;
using harness::FrontierReport;
using harness::Labels;

/// Makes one search, and tells what came of it.
class Frontiers {
 public:
  Frontiers(const FrontierQuestion& asked, const FrontierOrder& order)
      : asked_(asked), order_(order), bounds_(asked.bounds),
        explored_(sim::bounded(asked.scenario, asked.bounds, true)) {
    question_.scenario = asked.scenario;
    question_.bounds = asked.bounds;
    question_.alone = true;
    question_.goal = search::Goal::fault_sets;
    kinds_ = asked.labels;
  }

  FrontierAnswer answer() {
    answer_.report = report();
    return std::move(answer_);
  }

 private:
  FrontierReport report() {
    FrontierReport report;
    report.algorithm = explored_.algorithm->name;
    report.topology = asked_.topology;
    report.scope = harness::plural(explored_.clients.size(), "client") + " x " +
                   harness::plural(static_cast<std::uint64_t>(explored_.clients.front().plan.rounds), "round");
    if (explored_.contention == harness::Contention::as_written) report.scope += ", who ask as the scenario says";
    if (bounds_.ties == harness::Ties::together) report.scope += ", replies of one instant in the order of the servers";
    report.kinds = kinds_;
    report.measures = harness::measures_of(explored_);
    sim::Frontier found = explore(report);
    if (asked_.deepens && report.stopped.empty() && found.found.states < search::few_states) {
      ++bounds_.max_faults;
      found = explore(report);
    }
    report.max_faults = bounds_.max_faults;
    report.assumptions = harness::assumptions_of(explored_, bounds_);
    std::ranges::copy(asking_phrases(explored_, found.found), std::back_inserter(report.assumptions));
    report.reproduce =
        fmt::format("lockproof frontier {}{}{}", harness::shell_word(asked_.subject),
                    order_.budget_file.empty() ? "" : " --budget " + harness::shell_word(order_.budget_file),
                    order_.max_faults ? fmt::format(" --max-faults {}", *order_.max_faults) : "");
    report.searched_faults = found.searched_faults;
    report.states = found.found.states;
    report.transitions = found.found.transitions;
    for (std::size_t entry = 0; entry < kinds_.size() && found.searched_faults > 0; ++entry) {
      if (!has_struck(entry, found.found)) report.not_tried.push_back({kinds_[entry], "no schedule has it"});
    }
    for (const std::string& kind : changed_nothing(found)) {
      report.not_tried.push_back({kind, "nothing new comes of it"});
    }
    report.vacuous = sim::why_uncontended(found.found);
    if (!report.vacuous.empty() && !found.found.complete) report.vacuous += ", in what was searched";
    for (const check::Property& property : check::every_property()) {
      const std::string name(property.name);
      const bool broken = found.enough.contains(name);
      if (!found.found.judged.contains(name) && !broken) continue;
      if (name == "re-entrancy" && !broken && !check::re_enters(explored_)) continue;
      report.properties.push_back(judged(name, found, report.not_tried));
    }
    return report;
  }

  /// Kinds that break nothing, by themselves or with others, and of which the amounts that were tried are too small to
  /// make a difference.
  Labels changed_nothing(const sim::Frontier& found) {
    Labels idle;
    if (found.searched_faults < 1 || !report_stopped_.empty()) return idle;
    std::set<std::string> usual;
    for (std::size_t entry = 0; entry < kinds_.size(); ++entry) {
      const bool varies = has_amount(bounds_.budget[entry].kind);
      if (!varies || breaks(entry, found) || !has_struck(entry, found.found)) continue;
      if (usual.empty()) usual = outcomes_with({});
      const std::set<std::string> with = outcomes_with({bounds_.budget[entry]});
      if (usual.empty() || with.empty()) continue;  // not known
      if (std::ranges::includes(usual, with)) idle.push_back(kinds_[entry]);
    }
    return idle;
  }

  /// Empty if the search did not end.
  std::set<std::string> outcomes_with(std::vector<harness::BudgetedFault> budget) {
    search::Question question = question_;
    question.bounds.max_faults = budget.empty() ? 0 : 1;
    question.bounds.budget = std::move(budget);
    question.goal = search::Goal::kinds;
    question.probes = question.written_first = question.in_parts = false;
    question.engine = search::Engine::stateful;
    if (!search::why_reexecution(question).empty()) return {};
    search::Limits limits = order_.limits;
    limits.stop = limits.stop_telling;
    sim::Exploration found = search::answer(question, limits).found;
    return found.complete ? std::move(found.outcomes) : std::set<std::string>();
  }

  /// Whether its length or size decides what it does.
  [[nodiscard]] static bool has_amount(harness::FaultKind kind) {
    using harness::Setting;
    return std::ranges::any_of(harness::row_of(kind).settings, [](Setting setting) {
      return setting == Setting::lasts || setting == Setting::by || setting == Setting::jump ||
             setting == Setting::rate;
    });
  }

  [[nodiscard]] static bool breaks(std::size_t entry, const sim::Frontier& found) {
    return std::ranges::any_of(found.enough, [&](const auto& property) {
      return std::ranges::any_of(property.second, [&](const sim::MinimalFaults& one) {
        return std::ranges::find(one.faults, entry) != one.faults.end();
      });
    });
  }

  sim::Frontier explore(FrontierReport& report) {
    question_.bounds.max_faults = bounds_.max_faults;
    search::Answer answer = search::answer(question_, order_.limits);
    report.engine = answer.why_reexecution.empty() ? "stateful" : "reexecution";
    sim::Frontier found = sim::frontier_of(std::move(answer.found), bounds_);
    report.seconds = order_.seconds();
    const bool whole = found.found.complete && found.found.probes_stopped.empty();
    const harness::StopReason stop = order_.why_stopped();
    report.stopped = whole ? "" : why_incomplete(found.found, stop);
    report_stopped_ = report.stopped;
    answer_.interrupted = stop == harness::StopReason::interrupted;
    return found;
  }

  [[nodiscard]] std::string why_incomplete(const sim::Exploration& found, harness::StopReason stop) const {
    if (stop != harness::StopReason::none) return harness::stop_text(stop, order_.given);
    return found.complete ? found.probes_stopped : found.stopped;
  }

  FrontierProperty judged(const std::string& name, const sim::Frontier& found,
                          const std::vector<harness::UntriedFault>& not_tried) {
    const sim::TestCoverage& tested = sim::tested(found.found, name);
    FrontierProperty property{name, {}, {}, sim::why_uncontended(tested)};
    std::vector<sim::FaultSet> sets;
    if (const auto enough = found.enough.find(name); enough != found.enough.end()) {
      for (const sim::MinimalFaults& one : enough->second) {
        const std::stop_token& stop = order_.limits.stop_telling;
        auto shown = sim::counterexample(explored_, bounds_, name, one.kind, one.broken, asked_.scenario.horizon, stop);
        if (shown && shown->hidden) continue;
        if (!shown) throw std::logic_error("a violation that the search found does not show in a run");
        sets.push_back(one.faults);
        property.enough.push_back({labels(one.faults), one.kind, one.broken.depth, ""});
        if (order_.out.empty()) continue;
        sim::round_asks(*shown, name, one.kind, stop);
        const std::string kind = one.kind.empty() ? name : name + "-" + one.kind;
        property.enough.back().file = file(kind + "-by-" + harness::in_a_name(labels(one.faults)));
        answer_.breaking.emplace(property.enough.back().file, std::move(shown->scenario));
      }
    }
    if (found.searched_faults < 1 || !property.vacuous.empty()) return property;
    std::erase_if(sets, [&](const sim::FaultSet& set) { return static_cast<int>(set.size()) > found.searched_faults; });
    int number = 0;
    for (sim::FaultSet harmless : sim::largest_without(kinds_.size(), sets)) {
      std::erase_if(harmless, [&](std::size_t entry) {
        const bool tried =
            std::ranges::find(not_tried, kinds_[entry], &harness::UntriedFault::fault) == not_tried.end();
        return !tried || !has_struck(entry, tested);
      });
      if (harmless.empty()) continue;
      property.harmless.push_back({labels(harmless), ""});
      if (order_.out.empty() || asked_.head.empty()) continue;
      property.harmless.back().file = file(fmt::format("{}-harmless-{}", name, ++number));
      answer_.harmless.emplace(property.harmless.back().file, with_entries(asked_, bounds_.max_faults, harmless));
    }
    return property;
  }

  /// What never strikes has not been shown to do no harm.
  [[nodiscard]] static bool has_struck(std::size_t entry, const sim::TestCoverage& tested) {
    return std::ranges::any_of(tested.of_budget, [&](const auto& one) { return one.entry == entry; });
  }

  [[nodiscard]] Labels labels(const sim::FaultSet& set) const {
    Labels labels;
    for (const std::size_t entry : set) labels.push_back(kinds_[entry]);
    return labels;
  }

  [[nodiscard]] std::string file(const std::string& what) const {
    return fmt::format("{}/{}/{}/{}.toml", order_.out, asked_.scenario.name, harness::in_a_name({asked_.topology}),
                       what);
  }

  const FrontierQuestion& asked_;
  const FrontierOrder& order_;
  harness::Bounds bounds_;
  const harness::Scenario explored_;
  search::Question question_;
  Labels kinds_;
  FrontierAnswer answer_;
  std::string report_stopped_;
};

}  // namespace

FrontierAnswer frontier(const FrontierQuestion& question, const FrontierOrder& order) {
  return Frontiers(question, order).answer();
}

}  // namespace lockproof::execution
