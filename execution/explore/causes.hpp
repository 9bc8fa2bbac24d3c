// SPDX-License-Identifier: Apache-2.0
// explore --find causes: which faults are enough for each kind of violation, and a witness of each.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/text/style.hpp"
#include "search/results/counterexample.hpp"
#include "search/results/frontier.hpp"
#include "search/results/parted.hpp"

namespace lockproof::execution {

struct Cause {
  sim::ViolationKind violation;
  std::vector<std::string> faults;  // labels of the budget's entries; with none of them left out it is enough
  sim::FaultSet entries;            // … as it was searched
  std::vector<std::string> places;  // of each: how far its host is with the lock, and at which command; "": anywhere
  bool unpreventable = false;       // no lock on the service can prevent it
  std::string with;                 // "with 1 fault (crash of client-1, client-1 enters)"
  int events = 0;
  harness::Scenario witness;
  std::string file;  // where the witness was saved; empty: nowhere
};

/// The minimal sets of faults for each kind of violation, from a search with Limits::by_faults; those with the
/// fewest faults and events come first. `show`: the witness of a violation; nothing if a worse kind hides it.
[[nodiscard]] std::vector<Cause> causes_of(
    const harness::Scenario& searched, const sim::PartedBudget& budget, const sim::Exploration& found,
    const std::function<std::optional<sim::Counterexample>(const sim::ViolationKind&, const sim::ShortestViolation&)>&
        show);

[[nodiscard]] std::string causes_text(const std::vector<Cause>& causes, const harness::Style& style);
/// Its faults, and where they strike.
[[nodiscard]] std::vector<std::string> words_of(const Cause& cause);

}  // namespace lockproof::execution
