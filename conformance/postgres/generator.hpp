// SPDX-License-Identifier: Apache-2.0
// Generator: draws statements for four connections. It uses two locks and short times, so that they interact. While a
// statement waits, others are drawn that do not: which of two that wait for a row goes on first is left open.
#pragma once

#include <cstdint>
#include <set>

#include "conformance/core/dice.hpp"
#include "conformance/postgres/steps.hpp"

namespace lockproof::conformance::postgres {

class Generator : private Dice {
 public:
  explicit Generator(std::uint64_t seed) : Dice(seed, 100) {}

  /// `waiting`: connections whose statements wait. `wall_ms`: what the server's wall clock shows.
  [[nodiscard]] Step next(const std::set<int>& waiting, std::int64_t wall_ms);

 private:
  [[nodiscard]] Command statement(bool quiet, std::int64_t wall_ms);
};

}  // namespace lockproof::conformance::postgres
