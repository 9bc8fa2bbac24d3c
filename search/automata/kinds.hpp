// SPDX-License-Identifier: Apache-2.0
// Kinds: which sites are isomorphic. Two clients, or two servers that replicate with nobody, are of one kind if they
// are specified alike, nothing but the budget names one of them, and the budget can do the same to both. Then whatever
// happens at one can happen at the other with the two names exchanged, so the steps of one are worked out and those of
// the other are these, renamed. It needs less than the interchange of clients in symmetry.hpp, where whole worlds must
// be alike: here each site stands alone. Programs of their own are of no kind: each has a seed, and so tokens, of its
// own.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/scenario/scenario.hpp"
#include "search/automata/sites.hpp"
#include "sim/world/budget.hpp"

namespace lockproof::sim {

class Kinds {
 public:
  Kinds(const harness::Scenario& scenario, const harness::Bounds& bounds, const Sites& sites);

  /// The first site of the same kind; this one, if it is the first.
  [[nodiscard]] std::size_t model_of(std::size_t site) const { return models_[site]; }
  [[nodiscard]] std::size_t count() const { return count_; }
  /// A fault of the budget after this site and its model have exchanged their names.
  [[nodiscard]] Budget::Offer exchanged(std::size_t site, const Budget::Offer& offer) const;

 private:
  [[nodiscard]] bool alike(std::size_t model, std::size_t site);

  const harness::Scenario& scenario_;
  const harness::Bounds& bounds_;
  const Sites& sites_;
  std::vector<std::size_t> models_;
  std::size_t count_ = 0;
  std::vector<std::map<Budget::Offer, Budget::Offer>> exchanged_;  // for each site: those that change
};

}  // namespace lockproof::sim
