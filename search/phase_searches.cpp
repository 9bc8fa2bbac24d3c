// SPDX-License-Identifier: Apache-2.0
#include "search/phase_searches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "harness/report/text/plural.hpp"
#include "search/part_searches.hpp"
#include "search/zones/zone_engine.hpp"

namespace lockproof::search {
namespace {

constexpr int faults_most = 2;      // of a part
constexpr std::uint64_t many = 20;  // searches, as large as one may be, of all parts

/// A part that is all of it.
sim::Part as_part(const harness::Bounds& bounds) {
  sim::Part part{bounds, {}};
  for (std::size_t entry = 0; entry < bounds.budget.size(); ++entry) {
    std::vector<std::size_t> forms(bounds.budget[entry].forms.size());
    std::iota(forms.begin(), forms.end(), std::size_t{0});
    part.origins.push_back({entry, std::move(forms)});
  }
  return part;
}

}  // namespace

PhaseSearches::PhaseSearches(const harness::Scenario& polling, const harness::Bounds& bounds, sim::Limits options,
                             const Limits& limits, std::uint64_t states)
    : polling_(polling), bounds_(bounds), options_(std::move(options)), limits_(limits), states_most_(states) {}

std::optional<sim::Exploration> PhaseSearches::run() {
  if (zones::why_unsuited(polling_, bounds_).empty()) {
    sim::Exploration whole = search(bounds_);
    const bool is_decided = whole.complete && whole.undecided.empty();
    if (is_decided || shows_enough(whole, options_.enough)) return whole;
    keep(whole);
    if (whole.complete || bounds_.budget.empty()) return std::nullopt;
  }
  std::optional<sim::Exploration> sum;
  for (int faults = 1; faults <= std::min(bounds_.max_faults, faults_most) && !stopped_; ++faults) {
    sum = search_parts(faults);
    if (sum && shows_enough(*sum, options_.enough)) return sum;
  }
  if (bounds_.max_faults > faults_most) leave_open(fmt::format("more than {} faults", faults_most));
  return bounds_.max_faults <= faults_most ? std::move(sum) : std::nullopt;
}

/// All sets of so many faults at most, each by itself. Nothing: not all of them.
std::optional<sim::Exploration> PhaseSearches::search_parts(int faults) {
  harness::Bounds fewer = bounds_;
  fewer.max_faults = faults;
  std::vector<sim::Part> parts = sim::parts_of(polling_, fewer);
  if (parts.empty()) parts.push_back(as_part(fewer));
  const auto equal = sim::equal_parts(polling_, parts);
  std::vector<sim::Exploration> all(parts.size());
  sim::PartsSum sum(bounds_);
  bool is_whole = true;
  for (std::size_t part = 0; part < parts.size() && !stopped_; ++part) {
    sim::Exploration& found = all[part];
    if (equal[part]) {
      found = all[*equal[part]];
      found.states = found.transitions = found.bytes = 0;
    } else if (!zones::why_unsuited(polling_, parts[part].bounds).empty()) {
      is_whole = false;  // of a smaller budget, too
      continue;
    } else if (states_ > many * states_most_) {
      open_.clear();
      leave_open(fmt::format("sets of {} in the budget", harness::plural(static_cast<std::uint64_t>(faults), "fault")));
      return std::nullopt;
    } else {
      found = search(parts[part].bounds);
    }
    is_whole &= found.complete && found.undecided.empty();
    const bool is_cut_off = !found.complete && found.unrepresentable.empty() && !shows_enough(found, options_.enough);
    if (is_cut_off)
      leave_open(
          fmt::format("a set of {} in the budget", harness::plural(static_cast<std::uint64_t>(faults), "fault")));
    keep(found);
    sum.add(parts[part], found);
    if (shows_enough(found, options_.enough)) return sum.take();
  }
  if (!is_whole || stopped_) return std::nullopt;
  return sum.take();
}

void PhaseSearches::leave_open(const std::string& part) {
  if (open_.empty()) open_ = fmt::format("{} needs more than {} zones", part, states_most_);
}

sim::Exploration PhaseSearches::search(const harness::Bounds& within) {
  sim::Limits limited = options_;
  std::uint64_t states = 0;
  limited.go_on = [&](const sim::Progress& progress) {
    if (limits_.go_on && !limits_.go_on(progress)) stopped_ = true;
    states = progress.states;
    return !stopped_ && states < states_most_;
  };
  sim::Exploration found = zones::explore_zones(polling_, within, limited);
  states_ += std::max(states, found.states);
  return found;
}

void PhaseSearches::keep(const sim::Exploration& found) {
  for (const auto& [kind, violation] : found.broken) {
    const auto [known, is_new] = shown_.try_emplace(kind, violation);
    if (!is_new && violation.faults < known->second.faults) known->second = violation;
  }
  if (!found.complete) return;
  for (const auto& [property, why] : found.undecided) unconfirmed_.try_emplace(property, why);
}

}  // namespace lockproof::search
