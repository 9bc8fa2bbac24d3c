// SPDX-License-Identifier: Apache-2.0
// Symmetry: which clients of a scenario are interchangeable. If such clients change places in every event of a
// schedule, the result is a schedule that breaks the same properties; so one of all states that differ in the places of
// such clients is enough (Clarke, Enders, Filkorn, Jha, "Exploiting symmetry in temporal logic model checking", FMSD 9,
// 1996).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/scenario/scenario.hpp"

namespace lockproof::sim {

/// For each client, the client whose place it takes.
using Permutation = std::vector<int>;

/// Whether the fault strikes the host, is about it, or is placed by its event.
[[nodiscard]] bool names(const harness::Fault& fault, const std::string& host);

class Symmetry {
 public:
  /// Clients are interchangeable if they do the same work by the same clocks, no fault and no step names one of them,
  /// and the budget can do the same to each.
  Symmetry(const harness::Scenario& scenario, const harness::Bounds& bounds);

  /// Whether two clients are interchangeable.
  [[nodiscard]] bool any() const { return all_.size() > 1; }
  /// All permutations of the places; the first one is the identity.
  [[nodiscard]] const std::vector<Permutation>& all() const { return all_; }
  /// A number for each client, the same for interchangeable ones.
  [[nodiscard]] const std::vector<int>& classes() const { return classes_; }
  /// A form of a fault in the budget, after the permutation.
  [[nodiscard]] std::size_t form(std::size_t entry, std::size_t form, const Permutation& places) const;

 private:
  const harness::Bounds& bounds_;
  std::vector<std::string> names_;
  std::vector<int> classes_;
  std::vector<Permutation> all_;
};

}  // namespace lockproof::sim
