// SPDX-License-Identifier: Apache-2.0
// Generator: draws statements for four connections. It uses two locks and short times, so that they interact. While a
// statement waits, others are drawn that do not: which of two that wait for a row goes on first is left open.
#pragma once

#include <cstdint>
#include <set>

#include "conformance/postgres/steps.hpp"
#include "sim/kernel/random_bits.hpp"

namespace lockproof::conformance::postgres {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  /// `waiting`: connections whose statements wait. `wall_ms`: what the server's wall clock shows.
  [[nodiscard]] Step next(const std::set<int>& waiting, std::int64_t wall_ms);

 private:
  template <class List>
  const auto& one_of(const List& list) {
    return list[random_.below(std::size(list))];
  }
  [[nodiscard]] bool chance(std::uint64_t percent) { return random_.below(100) < percent; }
  [[nodiscard]] Command statement(bool quiet, std::int64_t wall_ms);

  sim::RandomBits random_;
};

}  // namespace lockproof::conformance::postgres
