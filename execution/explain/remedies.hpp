// SPDX-License-Identifier: Apache-2.0
// Remedies: changes of a scenario that may prevent its violation, each of them searched: what cannot be written as a
// scenario is no remedy here. Another lock is none either: it says nothing of this one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/history/history.hpp"
#include "harness/report/answers/explained.hpp"
#include "search/minimize/trials.hpp"

namespace lockproof::execution {

struct Candidate {
  std::string what;  // "with a lease of 40 s"
  harness::Scenario scenario;
};

/// Each fault left out alone.
[[nodiscard]] std::vector<Candidate> without_a_fault(const harness::Scenario& scenario);
/// The workload, the resource, the servers and the clocks changed so that they may stand the scenario's faults.
/// `history`: that of its violation.
[[nodiscard]] std::vector<Candidate> with_a_change(const harness::Scenario& scenario, const harness::History& history);

/// Whether it prevents the violation: no schedule breaks the property, in any kind. `anywhere`: nor one in which the
/// same faults strike elsewhere.
[[nodiscard]] harness::ExplainedRemedy searched(const Candidate& candidate, sim::Trials& trials, bool anywhere);

/// "pause <= lease - work", if the scenario's violation breaks that, and no schedule violates the property once the
/// pause keeps to it. Nothing: that is not so, or not known.
[[nodiscard]] std::optional<std::string> pause_bound(const harness::Scenario& scenario, std::size_t fault,
                                                     sim::Trials& trials);

[[nodiscard]] std::string prevention_text(const std::vector<harness::ExplainedRemedy>& remedies);

}  // namespace lockproof::execution
