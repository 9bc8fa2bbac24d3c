// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/frontier_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>

#include "cli/options/limits.hpp"
#include "cli/output/output.hpp"
#include "cli/output/scenario_output.hpp"
#include "cli/reports/explore_watch.hpp"
#include "cli/reports/fault_labels.hpp"
#include "cli/reports/scope_text.hpp"
#include "harness/check/verdict_text.hpp"
#include "harness/report/text/assumptions.hpp"
#include "harness/report/text/shell_word.hpp"
#include "harness/scenario/fault_table.hpp"
#include "search/core/contention.hpp"
#include "search/results/counterexample.hpp"
#include "search/results/vacuity.hpp"
#include "search/search.hpp"

namespace lockproof::cli {
namespace {

using harness::FrontierProperty;
using harness::FrontierReport;
using harness::Labels;

// States of a search with one fault, below which one with two takes seconds.
constexpr std::uint64_t small_enough = 20'000;

/// Makes one search, and tells what came of it.
class Frontiers {
 public:
  Frontiers(const Arguments& arguments, const FrontierSearch& search, const SearchedWith& with)
      : arguments_(arguments), search_(search), workers_(with.workers), bounds_(search.bounds),
        explored_(sim::bounded(search.scenario, search.bounds, true)),
        watch_(time_from(arguments.time), bytes_from(arguments.memory), with.shows) {
    question_.scenario = search.scenario;
    question_.bounds = search.bounds;
    question_.alone = true;
    question_.goal = search::Goal::fault_sets;
    for (const harness::BudgetedFault& entry : search.bounds.budget) kinds_.push_back(fault_label(explored_, entry));
  }

  FrontierReport report() {
    FrontierReport report;
    report.algorithm = explored_.algorithm->name;
    report.topology = search_.topology;
    report.scope = plural(explored_.clients.size(), "client") + " x " +
                   plural(static_cast<std::uint64_t>(explored_.clients.front().plan.rounds), "round");
    if (explored_.contention == harness::Contention::as_written) report.scope += ", who ask as the scenario says";
    if (bounds_.ties == harness::Ties::together) report.scope += ", replies of one instant in the order of the servers";
    report.kinds = kinds_;
    report.measures = harness::measures_of(explored_);
    sim::Frontier found = explore(report);
    if (search_.deepens && report.stopped.empty() && found.found.states < small_enough) {
      ++bounds_.max_faults;
      found = explore(report);
    }
    report.max_faults = bounds_.max_faults;
    report.assumptions = harness::assumptions_of(explored_, bounds_);
    std::ranges::copy(asking_phrases(explored_, found.found), std::back_inserter(report.assumptions));
    report.reproduce =
        fmt::format("lockproof frontier {}{}{}", harness::shell_word(search_.subject),
                    arguments_.budget.empty() ? "" : " --budget " + harness::shell_word(arguments_.budget),
                    arguments_.max_faults ? fmt::format(" --max-faults {}", *arguments_.max_faults) : "");
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
  [[nodiscard]] bool interrupted() const { return interrupted_; }

 private:
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
    search::Limits limits = watch_.limits(workers_);
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
      return std::ranges::any_of(property.second, [&](const sim::Enough& one) {
        return std::ranges::find(one.faults, entry) != one.faults.end();
      });
    });
  }

  sim::Frontier explore(FrontierReport& report) {
    question_.bounds.max_faults = bounds_.max_faults;
    search::Answer answer = search::answer(question_, watch_.limits(workers_));
    report.engine = answer.why_reexecution.empty() ? "stateful" : "reexecution";
    sim::Frontier found = sim::frontier_of(std::move(answer.found), bounds_);
    report.seconds = watch_.seconds();
    const bool whole = found.found.complete && found.found.probes_stopped.empty();
    report.stopped = whole ? "" : reason(watch_.stop());
    report_stopped_ = report.stopped;
    interrupted_ = watch_.stop() == Stop::interrupted;
    return found;
  }

  [[nodiscard]] std::string reason(Stop stop) const {
    if (stop == Stop::time) return fmt::format("the time limit of {} was reached", arguments_.time);
    if (stop == Stop::interrupted) return "it was interrupted";
    if (stop == Stop::exhausted) return "the machine gave no more memory";
    return fmt::format("the memory limit of {} was reached", arguments_.memory);
  }

  FrontierProperty judged(const std::string& name, const sim::Frontier& found,
                          const std::vector<harness::UntriedFault>& not_tried) {
    const sim::Tested& tested = sim::tested(found.found, name);
    FrontierProperty property{name, {}, {}, sim::why_uncontended(tested)};
    std::vector<sim::FaultSet> sets;
    if (const auto enough = found.enough.find(name); enough != found.enough.end()) {
      for (const sim::Enough& one : enough->second) {
        const std::stop_token stop = watch_.guard().stop_telling();
        auto shown =
            sim::counterexample(explored_, bounds_, name, one.kind, one.broken, search_.scenario.horizon, stop);
        if (shown && shown->hidden) continue;
        if (!shown) throw std::logic_error("a violation that the search found does not show in a run");
        sets.push_back(one.faults);
        property.enough.push_back({labels(one.faults), one.kind, one.broken.depth, ""});
        if (arguments_.out.empty()) continue;
        sim::round_asks(*shown, name, one.kind, stop);
        const std::string kind = one.kind.empty() ? name : name + "-" + one.kind;
        property.enough.back().file = file(kind + "-by-" + in_a_name(labels(one.faults)));
        write_scenario(property.enough.back().file, shown->scenario);
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
      if (arguments_.out.empty() || search_.head.empty()) continue;
      property.harmless.back().file = file(fmt::format("{}-harmless-{}", name, ++number));
      write_file(property.harmless.back().file, with_entries(search_, bounds_.max_faults, harmless));
    }
    return property;
  }

  /// What never strikes has not been shown to do no harm.
  [[nodiscard]] static bool has_struck(std::size_t entry, const sim::Tested& tested) {
    return std::ranges::any_of(tested.of_budget, [&](const auto& one) { return one.entry == entry; });
  }

  [[nodiscard]] Labels labels(const sim::FaultSet& set) const {
    Labels labels;
    for (const std::size_t entry : set) labels.push_back(kinds_[entry]);
    return labels;
  }

  [[nodiscard]] std::string file(const std::string& what) const {
    return fmt::format("{}/{}/{}/{}.toml", arguments_.out, search_.scenario.name, in_a_name({search_.topology}), what);
  }

  const Arguments& arguments_;
  const FrontierSearch& search_;
  const unsigned workers_;
  harness::Bounds bounds_;
  const harness::Scenario explored_;
  search::Question question_;
  Labels kinds_;
  ExploreWatch watch_;
  std::string report_stopped_;
  bool interrupted_ = false;
};

}  // namespace

harness::Labels assumptions_of(const FrontierSearch& search) {
  return harness::assumptions_of(sim::bounded(search.scenario, search.bounds, true), search.bounds);
}

FrontierFound search_frontier(const Arguments& arguments, const FrontierSearch& search, const SearchedWith& with) {
  Frontiers frontiers(arguments, search, with);
  FrontierReport report = frontiers.report();
  return {std::move(report), frontiers.interrupted()};
}

}  // namespace lockproof::cli
