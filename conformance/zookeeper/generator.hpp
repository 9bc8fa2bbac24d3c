// SPDX-License-Identifier: Apache-2.0
// Generator: draws steps for several clients. It uses few names, so that they meet; a numbered node is found again by a
// number that is likely to be there.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "conformance/core/dice.hpp"
#include "conformance/zookeeper/steps.hpp"

namespace lockproof::conformance::zookeeper {

class Generator : private Dice {
 public:
  explicit Generator(std::uint64_t seed) : Dice(seed, 1000) {}

  /// Every client opens a session.
  [[nodiscard]] Steps first();
  /// `made`: how many nodes were made so far. `without`: clients that have no session.
  [[nodiscard]] Step next(std::int64_t made, const std::set<int>& without);

 private:
  [[nodiscard]] std::string name(std::int64_t made);
  [[nodiscard]] Step connect(int client);
};

}  // namespace lockproof::conformance::zookeeper
