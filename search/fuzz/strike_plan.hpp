// SPDX-License-Identifier: Apache-2.0
// The choosers of all strategies draw beforehand at which occasions faults of a budget will strike: a chooser that
// tosses a coin at each occasion would use up the budget at the first few.
#pragma once

#include <cstdint>
#include <set>

#include "harness/scenario/scenario.hpp"
#include "sim/kernel/random_bits.hpp"

namespace lockproof::sim {

/// The parameters from which a plan of strikes is drawn.
struct Strikes {
  int most = 0;                 // in a run
  std::uint64_t occasions = 1;  // in a run, approximately
  std::uint64_t kinds = 1;      // of faults
  std::uint64_t at_start = 0;   // how many of these strike at the first occasion only, which then is the start
};
[[nodiscard]] Strikes strikes_of(const harness::Bounds* budget, std::uint64_t occasions);

/// The occasions at which a fault strikes: as many as the budget allows or fewer, spread evenly over the occasions of a
/// run, seldom later; at the start as often as a kind of fault that strikes then would be chosen.
class StrikePlan {
 public:
  StrikePlan(std::uint64_t seed, const Strikes& strikes);
  [[nodiscard]] std::size_t strike(std::size_t count);

 private:
  RandomBits bits_;
  std::multiset<std::uint64_t> at_;
  std::uint64_t asked_ = 0;
};

}  // namespace lockproof::sim
