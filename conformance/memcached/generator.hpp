// SPDX-License-Identifier: Apache-2.0
// Generator: draws commands for memcached. It uses few keys, few values and short times, so that commands interact.
#pragma once

#include <cstdint>

#include "conformance/memcached/steps.hpp"
#include "sim/kernel/random_bits.hpp"

namespace lockproof::conformance::memcached {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  /// `newest`: the number that was given last.
  [[nodiscard]] Step command(std::int64_t newest);
  /// How many ticks pass before the next burst of commands.
  [[nodiscard]] int ticks();

 private:
  template <class List>
  const auto& one_of(const List& list) {
    return list[random_.below(std::size(list))];
  }
  [[nodiscard]] bool chance(std::uint64_t percent) { return random_.below(100) < percent; }

  sim::RandomBits random_;
};

}  // namespace lockproof::conformance::memcached
