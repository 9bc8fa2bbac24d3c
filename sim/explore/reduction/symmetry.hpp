// SPDX-License-Identifier: Apache-2.0
// Symmetry: which clients of a scenario are interchangeable. When some of those change places in every event of a
// schedule, a schedule comes of it again, and it breaks the same properties; so of all states that differ in the places
// of such clients one is enough (Clarke, Enders, Filkorn, Jha, "Exploiting symmetry in temporal logic model checking",
// FMSD 9, 1996).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/scenario/scenario.hpp"

namespace lockproof::sim {

/// Of each client, whose place it takes.
using Permutation = std::vector<int>;

class Symmetry {
 public:
  /// Clients are interchangeable if they do the same work by the same clocks, no fault and no step names one of them,
  /// and the budget can do the same to each.
  Symmetry(const harness::Scenario& scenario, const harness::Bounds& bounds);

  /// Whether two clients are interchangeable.
  [[nodiscard]] bool any() const { return all_.size() > 1; }
  /// All ways to change places; in the first one nobody does.
  [[nodiscard]] const std::vector<Permutation>& all() const { return all_; }
  /// A number for each client, the same for interchangeable ones.
  [[nodiscard]] const std::vector<int>& classes() const { return classes_; }
  /// What a form of a fault in the budget becomes.
  [[nodiscard]] std::size_t form(std::size_t entry, std::size_t form, const Permutation& places) const;

 private:
  const harness::Bounds& bounds_;
  std::vector<std::string> names_;
  std::vector<int> classes_;
  std::vector<Permutation> all_;
};

}  // namespace lockproof::sim
