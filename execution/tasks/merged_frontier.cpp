// SPDX-License-Identifier: Apache-2.0
#include "execution/tasks/merged_frontier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/check/properties.hpp"
#include "search/results/frontier.hpp"

namespace lockproof::execution {
namespace {

using harness::FrontierProperty;
using harness::FrontierReport;
using harness::FrontierSet;
using harness::Labels;

void add_new(Labels& into, const Labels& more) {
  for (const std::string& one : more) {
    if (std::ranges::find(into, one) == into.end()) into.push_back(one);
  }
}

class FrontierSum {
 public:
  explicit FrontierSum(const std::vector<FrontierReport>& parts) : parts_(parts), sum_(parts.front()) {}

  FrontierReport report() {
    add_counts();
    find_untried();
    std::vector<FrontierProperty> properties;
    for (const check::Property& property : check::every_property()) {
      if (auto one = property_of(std::string(property.name))) properties.push_back(std::move(*one));
    }
    sum_.properties = std::move(properties);
    return std::move(sum_);
  }

 private:
  void add_counts() {
    sum_.states = sum_.transitions = 0;
    sum_.seconds = 0;
    sum_.stopped.clear();
    std::size_t stopped = 0;
    std::string why;
    for (const FrontierReport& part : parts_) {
      add_new(sum_.kinds, part.kinds);
      add_new(sum_.assumptions, part.assumptions);
      sum_.searched_faults = std::min(sum_.searched_faults, part.searched_faults);
      sum_.states += part.states;
      sum_.transitions += part.transitions;
      sum_.seconds += part.seconds;
      if (part.engine != sum_.engine) sum_.engine = "stateful and reexecution";
      if (part.vacuous.empty()) sum_.vacuous.clear();
      if (part.stopped.empty()) continue;
      ++stopped;
      if (why.empty()) why = part.stopped;
    }
    if (stopped > 0)
      sum_.stopped = fmt::format("{} of {} searches stopped, the first since {}", stopped, parts_.size(), why);
  }

  /// What was tried in one of the parts was tried.
  void find_untried() {
    std::map<std::string, std::string> untried;
    std::set<std::string> tried;
    for (const FrontierReport& part : parts_) {
      for (const std::string& kind : part.kinds) {
        const auto there = std::ranges::find(part.not_tried, kind, &harness::UntriedFault::fault);
        if (there == part.not_tried.end()) tried.insert(kind);
        if (there != part.not_tried.end()) untried.emplace(kind, there->why);
      }
    }
    sum_.not_tried.clear();
    for (const std::string& kind : sum_.kinds) {
      if (untried.contains(kind) && !tried.contains(kind)) sum_.not_tried.push_back({kind, untried.at(kind)});
    }
  }

  std::optional<FrontierProperty> property_of(const std::string& name) const {
    FrontierProperty sum{.property = name, .enough = {}, .harmless = {}, .vacuous = {}};
    bool is_judged = false, is_shown = false;
    std::set<std::string> struck;  // in a schedule that puts the property to the test
    for (const FrontierReport& part : parts_) {
      const auto there = std::ranges::find(part.properties, name, &FrontierProperty::property);
      if (there == part.properties.end()) continue;
      is_judged = true;
      is_shown |= there->vacuous.empty();
      if (sum.vacuous.empty()) sum.vacuous = there->vacuous;
      for (const FrontierSet& set : there->enough) add(sum.enough, set);
      for (const auto& set : there->harmless) struck.insert(set.faults.begin(), set.faults.end());
    }
    if (!is_judged) return std::nullopt;
    if (is_shown) sum.vacuous.clear();
    sort(sum.enough);
    for (const FrontierSet& set : sum.enough) struck.insert(set.faults.begin(), set.faults.end());
    if (sum_.searched_faults >= 1 && sum.vacuous.empty()) sum.harmless = harmless(sum.enough, struck);
    return sum;
  }

  /// Of each kind of violation the least sets alone, and of each set the shortest schedule.
  void add(std::vector<FrontierSet>& into, const FrontierSet& set) const {
    const sim::FaultSet faults = numbers(set.faults);
    for (FrontierSet& known : into) {
      if (known.kind != set.kind) continue;
      const sim::FaultSet there = numbers(known.faults);
      if (there == faults && set.events < known.events) known = set;
      if (std::ranges::includes(faults, there)) return;
    }
    std::erase_if(into, [&](const FrontierSet& known) {
      return known.kind == set.kind && std::ranges::includes(numbers(known.faults), faults);
    });
    into.push_back(set);
  }

  void sort(std::vector<FrontierSet>& sets) const {
    std::ranges::sort(sets, {}, [&](const FrontierSet& set) {
      return std::tuple(set.faults.size(), set.events, numbers(set.faults), set.kind);
    });
  }

  [[nodiscard]] std::vector<harness::HarmlessSet> harmless(const std::vector<FrontierSet>& enough,
                                                           const std::set<std::string>& struck) const {
    std::vector<sim::FaultSet> sets;
    for (const FrontierSet& set : enough) {
      if (static_cast<int>(set.faults.size()) <= sum_.searched_faults) sets.push_back(numbers(set.faults));
    }
    std::vector<harness::HarmlessSet> all;
    for (const sim::FaultSet& set : sim::largest_without(sum_.kinds.size(), sets)) {
      harness::HarmlessSet one;
      for (const std::size_t number : set) {
        const std::string& kind = sum_.kinds[number];
        const bool tried =
            std::ranges::find(sum_.not_tried, kind, &harness::UntriedFault::fault) == sum_.not_tried.end();
        if (tried && struck.contains(kind)) one.faults.push_back(kind);
      }
      if (!one.faults.empty()) all.push_back(std::move(one));
    }
    return all;
  }

  /// Ascending.
  [[nodiscard]] sim::FaultSet numbers(const Labels& labels) const {
    sim::FaultSet set;
    for (const std::string& label : labels)
      set.push_back(static_cast<std::size_t>(std::ranges::find(sum_.kinds, label) - sum_.kinds.begin()));
    std::ranges::sort(set);
    return set;
  }

  const std::vector<FrontierReport>& parts_;
  FrontierReport sum_;
};

}  // namespace

FrontierReport merged_frontier(const std::vector<FrontierReport>& parts) { return FrontierSum(parts).report(); }

}  // namespace lockproof::execution
