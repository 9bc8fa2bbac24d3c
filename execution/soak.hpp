// SPDX-License-Identifier: Apache-2.0
// Soak: one scenario again and again on real servers, each time with other faults of a budget, drawn and placed as a
// simulated run has them. What breaks is kept as the scenario that it happened in.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/check/expectation.hpp"
#include "harness/history/history.hpp"
#include "harness/scenario/scenario.hpp"
#include "real/options.hpp"
#include "search/core/exploration.hpp"
#include "search/fuzz/survey.hpp"

namespace lockproof::execution {

struct SoakOrder {
  const harness::Scenario* scenario = nullptr;  // within the bounds
  const harness::Bounds* budget = nullptr;
  sim::Survey survey{};  // of the scenario with this budget
  std::uint64_t seed = 1;
  unsigned jobs = 1;
  bool first = false;         // end at the first violation
  real::Programs programs{};  // other builds of the programs of servers
  /// What becomes of a run that violated something; called in the process that made it. Empty: nothing.
  std::function<void(std::uint64_t number, const harness::Scenario& scenario, const harness::History& history)> keep{};
  /// Asked often; once it says no, the runs under way are ended, and have no results.
  std::function<bool(std::uint64_t runs, std::size_t causes)> go_on;
};

struct SoakResult {
  /// In which way something was violated, and by runs with which kinds of faults, in alphabetical order.
  struct Cause {
    sim::ViolationKind way;
    std::vector<std::string> kinds;
    auto operator<=>(const Cause&) const = default;
  };
  struct Violation {
    std::uint64_t runs = 0;      // that were so
    std::uint64_t number = 0;    // of the first of them
    double seconds = 0;          // until it had ended
    check::Finding finding;      // of that run
    harness::Scenario scenario;  // of that run: the faults, named by events
  };
  std::uint64_t runs = 0;                       // made
  std::uint64_t late = 0;                       // whose violations do not count: the machine was late, time and again
  std::uint64_t refused = 0;                    // drawn, and not made: real runs cannot make such a fault
  std::string refusal;                          // why, the first time
  std::map<std::string, std::uint64_t> faults;  // that the runs were given, by kind
  double seconds = 0;
  std::map<Cause, Violation> violated;
};

/// The scenario as a soak runs it.
[[nodiscard]] harness::Scenario soaked_scenario(const harness::Scenario& scenario, const harness::Bounds& budget,
                                                bool alone);
/// REQUIRES: it has a scenario and a budget.
void make_survey(SoakOrder& order);

/// The scenario of run `number`: the same for the same seed. It has no steps: real servers have no schedule.
[[nodiscard]] harness::Scenario drawn(const SoakOrder& order, std::uint64_t number);

/// Throws real::BadEnvironment.
[[nodiscard]] SoakResult soak(const SoakOrder& order);

}  // namespace lockproof::execution
