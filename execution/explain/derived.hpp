// SPDX-License-Identifier: Apache-2.0
// Derived: where a decision record says that a verdict changes. A rule has the record's premises, and its inequality;
// what it needs of a scenario is worked out by one run of one client, and never by a search.
#pragma once

#include <optional>
#include <string>

#include "harness/scenario/scenario.hpp"

namespace lockproof::execution {

struct Derivation {
  std::string formula;  // "both are inside iff …"
  std::string record;   // "docs/semantics/boundaries.md"
  bool breaks = false;  // with this scenario's amounts
};

/// Nothing: no record derives it for such a scenario.
[[nodiscard]] std::optional<Derivation> derived(const harness::Scenario& scenario, const std::string& property);

}  // namespace lockproof::execution
