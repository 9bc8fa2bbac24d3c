// SPDX-License-Identifier: Apache-2.0
// ReviewSearch: one search of a review, and what it says of each concern. Nothing is held that was not searched whole
// and put to the test.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "execution/review/review_scenario.hpp"
#include "search/results/counterexample.hpp"
#include "search/results/frontier.hpp"
#include "search/search.hpp"

namespace lockproof::execution {

class ReviewSearch {
 public:
  /// Searches the scenario at once. `name`: what it is called in messages. `enough`: it ends when it has broken all of
  /// these, and of each shows one cause; if empty it goes on, and looks for each least set of faults. `again`: few
  /// states of it were searched before.
  ReviewSearch(const std::string& name, const std::string& toml, const search::Limits& limits,
               const std::set<harness::Concern>& enough = {}, bool again = false);

  [[nodiscard]] harness::ReviewCell cell(harness::Concern concern) const;
  [[nodiscard]] std::uint64_t states() const { return found_.found.states; }
  [[nodiscard]] bool whole() const { return found_.found.complete; }
  /// It broke all that was to be broken, and did not go on.
  [[nodiscard]] bool ended_early() const { return ended_early_; }
  /// "2 clients x 1 round …"
  [[nodiscard]] const harness::Scenario& scenario() const { return scenario_; }
  [[nodiscard]] const std::string& toml() const { return toml_; }
  /// Faults of the budget that struck in no schedule, as they are written there.
  [[nodiscard]] std::vector<std::string> never_struck() const;

 private:
  [[nodiscard]] std::vector<harness::ReviewCause> causes(const std::string& property) const;
  [[nodiscard]] std::string why_unknown(const std::string& property) const;

  const std::string toml_;
  const search::Limits limits_;
  harness::Scenario scenario_, explored_;
  harness::Bounds bounds_;
  sim::Frontier found_;
  bool ended_early_ = false;  // all that was asked was broken
};

/// Adds what another search of the same lock says.
void add(harness::ReviewCell& into, harness::ReviewCell more);

/// sim::drop_steps, or sim::round_asks: what shows the same to a person, at the price of many runs.
using ChangeRun = void (*)(sim::Counterexample& of, const std::string& property, const std::string& kind,
                           const std::stop_token& stop);
void change_run(harness::ReviewCause& cause, const std::string& name, ChangeRun change, const std::stop_token& stop);

/// Whether mutual exclusion, or another property, holds in every schedule: a search for the first violation.
enum class HoldVerdict : std::uint8_t { yes, no, unknown };
[[nodiscard]] HoldVerdict holds(const std::string& name, const std::string& toml, const std::string& property,
                                const search::Limits& limits, std::uint64_t& states);

}  // namespace lockproof::execution
