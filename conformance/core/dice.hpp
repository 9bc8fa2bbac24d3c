// SPDX-License-Identifier: Apache-2.0
// Dice: what every generator of steps draws with. The same seed draws the same steps.
#pragma once

#include <cstdint>
#include <iterator>

#include "sim/kernel/random_bits.hpp"

namespace lockproof::conformance {

class Dice {
 protected:
  /// `whole`: what chances are parts of.
  Dice(std::uint64_t seed, std::uint64_t whole) : random_(seed), whole_(whole) {}

  template <class List>
  const auto& one_of(const List& list) {
    return list[random_.below(std::size(list))];
  }
  [[nodiscard]] bool chance(std::uint64_t parts) { return random_.below(whole_) < parts; }

  sim::RandomBits random_;

 private:
  std::uint64_t whole_;
};

}  // namespace lockproof::conformance
