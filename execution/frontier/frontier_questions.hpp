// SPDX-License-Identifier: Apache-2.0
// The searches that lockproof frontier makes of an algorithm: what is searched, with which faults.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "harness/report/frontier.hpp"
#include "harness/scenario/scenario.hpp"
#include "search/results/frontier.hpp"

namespace lockproof::execution {

/// One search: a scenario, and what may go wrong in it.
struct FrontierQuestion {
  bool deepens = false;              // it is made with one fault first, and with two if that was small
  std::string subject;               // an algorithm, or a file
  std::string topology;              // "1 server"
  harness::Scenario scenario;        // not bounded yet
  harness::Bounds bounds;            // its budget
  harness::Labels labels{};          // of its entries, each another one
  std::vector<std::string> entries;  // of the budget, as TOML; empty: they stand in a file
  std::string head;                  // the scenario without them, as TOML; empty: it is a file
};

/// The searches for one algorithm. A lock on one server is searched on that server, and on a master with its replica,
/// or only on the latter if the lock needs a replica; Redlock on three servers. `max_faults`: the maximum in one run;
/// by default one, or two if that space is small enough. `out`: the folder for their scenarios; empty: none are
/// written.
[[nodiscard]] std::vector<FrontierQuestion> frontier_questions(const Algorithm& algorithm,
                                                               std::optional<int> max_faults, const std::string& out);

/// The bounds of a scenario that states none: one of what may go wrong for a lock of the catalogue, as far as it can
/// here.
[[nodiscard]] harness::Bounds usual_bounds(const harness::Scenario& scenario);

/// The search of a scenario's file, with these bounds.
[[nodiscard]] FrontierQuestion frontier_question(const std::string& file, harness::Scenario scenario,
                                                 const harness::Bounds& bounds);
/// Leaves the other entries of the budget out; the first one has the number 1. Throws harness::InputError.
void choose_entries(FrontierQuestion& question, const std::vector<std::size_t>& numbers);
/// What its answer holds under, whatever comes of it.
[[nodiscard]] harness::Labels assumptions_of(const FrontierQuestion& question);

/// The scenario with these entries of the budget only, as TOML: what shows that they do no harm.
[[nodiscard]] std::string with_entries(const FrontierQuestion& question, int max_faults, const sim::FaultSet& entries);

}  // namespace lockproof::execution
