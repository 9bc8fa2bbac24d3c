// SPDX-License-Identifier: Apache-2.0
// Parts of a budget: a search for each form of a fault, or, where two faults may strike, for each pair of entries. The
// faults of a schedule are all in some part, so together the parts search the same schedules as the whole, in less time
// and memory: no part has the product of what the others do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "search/results/parted.hpp"

namespace lockproof::sim {

struct Part {
  harness::Bounds bounds;                     // the whole ones with a part of the budget
  std::vector<PartedBudget::Origin> origins;  // of each of its entries, in numbers of the whole budget
};

/// Forms that differ only in the clients, or only in the servers, that they strike stay together, since a search counts
/// interchangeable clients once. Empty: there would be one part, or three faults may strike.
[[nodiscard]] std::vector<Part> parts_of(const harness::Scenario& searched, const harness::Bounds& whole);

/// Of each part an earlier one whose faults do the same, so that one search answers both; nothing: there is none. A
/// restart does what a power cut does where a server keeps nothing on its disk, or everything.
[[nodiscard]] std::vector<std::optional<std::size_t>> equal_parts(const harness::Scenario& searched,
                                                                  const std::vector<Part>& parts);

/// Adds what was found in one part, in numbers of the whole budget. Each violation names the part that shows it.
class PartsSum {
 public:
  explicit PartsSum(const harness::Bounds& whole) : whole_(whole) {}
  void add(const Part& part, Exploration found);
  /// REQUIRES: something was added.
  [[nodiscard]] Exploration take() { return std::move(sum_); }

 private:
  const harness::Bounds& whole_;
  Exploration sum_;
  bool empty_ = true;
};

}  // namespace lockproof::sim
