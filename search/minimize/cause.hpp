// SPDX-License-Identifier: Apache-2.0
// Cause: what a violation depends on: the faults behind it, each by its kind, whom it strikes and where, and the clocks
// that are off. A smaller scenario with another cause is another failure, though it breaks the same property.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/core/exploration.hpp"

namespace lockproof::sim {

struct CausePart {
  harness::FaultKind kind;
  bool of_client;
  harness::Spot spot;     // a fault that is placed by time has no command
  std::size_t fault = 0;  // its number in the scenario, from 0
};

struct Cause {
  std::vector<CausePart> parts;
  bool clocks = false;  // the wall clock of some host has to be off

  /// Whether the violation of a smaller scenario has nothing that this one has not, and the clocks that it needs.
  [[nodiscard]] bool keeps(const harness::Scenario& smaller, const ViolationKind& way) const;
  /// Where a fault of this kind has to strike; nothing: anywhere, or at one of several spots.
  [[nodiscard]] std::optional<harness::Spot> spot_for(const harness::Scenario& scenario,
                                                      const harness::Fault& fault) const;
};

/// Of the scenario's own run, which breaks the property in this kind: without any of these faults, and the same
/// choices, it does not break it at the same instant.
[[nodiscard]] Cause cause_of(const harness::Scenario& scenario, const ViolationKind& way);

/// The faults that have struck in the scenario's run when it breaks the property, in their order.
[[nodiscard]] std::vector<CausePart> struck_until(const harness::Scenario& scenario, const ViolationKind& way);

}  // namespace lockproof::sim
