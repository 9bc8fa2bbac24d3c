// SPDX-License-Identifier: Apache-2.0
// Generator: draws commands for memcached. It uses few keys, few values and short times, so that commands interact.
#pragma once

#include <cstdint>

#include "conformance/core/dice.hpp"
#include "conformance/memcached/steps.hpp"

namespace lockproof::conformance::memcached {

class Generator : private Dice {
 public:
  explicit Generator(std::uint64_t seed) : Dice(seed, 100) {}

  /// `newest`: the number that was given last.
  [[nodiscard]] Step command(std::int64_t newest);
  /// How many ticks pass before the next burst of commands.
  [[nodiscard]] int ticks();
};

}  // namespace lockproof::conformance::memcached
