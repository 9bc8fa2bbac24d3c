// SPDX-License-Identifier: Apache-2.0
// Budgets: how often each entry of the budget has struck, each such list once, as numbers in the states of the search.
// What can happen next depends on what is left of the budget and on nothing else of it, so budgets of which as much is
// left have the same *rest*: steps and rows are keyed by that, and say what they use. Once nothing is left, all have
// the same one, whatever has struck.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "harness/scenario/bounds.hpp"
#include "search/containers/flat_map.hpp"

namespace lockproof::sim {

class Budgets {
 public:
  using Id = std::uint32_t;
  static constexpr Id nothing = 0, none = PairMap::none;  // nothing is used; a sum that is not known

  /// The bounds must outlive it.
  explicit Budgets(const harness::Bounds& bounds) : bounds_(bounds) {
    (void)add(std::vector<int>(bounds.budget.size(), 0));
  }

  Id add(const std::vector<int>& counts) {
    const auto [known, is_new] = numbers_.try_emplace(counts, size());
    if (!is_new) return known->second;
    counts_.push_back(counts);
    used_.push_back(std::accumulate(counts.begin(), counts.end(), 0));
    rests_.push_back(first_with_.try_emplace(left(counts), known->second).first->second);
    return known->second;
  }
  [[nodiscard]] const std::vector<int>& at(Id id) const { return counts_[id]; }
  [[nodiscard]] int used(Id id) const { return used_[id]; }
  [[nodiscard]] Id size() const { return static_cast<Id>(used_.size()); }

  /// The first budget of which as much is left: of each entry, and in all.
  [[nodiscard]] Id rest(Id id) const { return rests_[id]; }
  /// The budget after so much more of it is used; `none`: it has not been worked out yet.
  [[nodiscard]] Id known_after(Id id, Id more) const { return more == nothing ? id : sums_.find(id, more); }
  Id after(Id id, Id more) {
    const Id known = known_after(id, more);
    if (known != none) return known;
    std::vector<int> counts = at(id);
    for (std::size_t entry = 0; entry < counts.size(); ++entry) counts[entry] += at(more)[entry];
    const Id sum = add(counts);
    sums_.insert(id, more, sum);
    return sum;
  }

 private:
  /// Of each entry no more than of all together; and of all together no more than of the entries.
  [[nodiscard]] std::vector<int> left(const std::vector<int>& counts) const {
    const int of_all = std::max(0, bounds_.max_faults - std::accumulate(counts.begin(), counts.end(), 0));
    std::vector<int> left;
    for (std::size_t entry = 0; entry < counts.size(); ++entry) {
      left.push_back(std::clamp(bounds_.left_of(entry, counts), 0, of_all));
    }
    left.push_back(std::min(of_all, std::accumulate(left.begin(), left.end(), 0)));
    return left;
  }

  const harness::Bounds& bounds_;
  std::map<std::vector<int>, Id> numbers_, first_with_;  // by counts, and by what is left
  std::vector<std::vector<int>> counts_;
  std::vector<int> used_;
  std::vector<Id> rests_;
  PairMap sums_;
};

}  // namespace lockproof::sim
