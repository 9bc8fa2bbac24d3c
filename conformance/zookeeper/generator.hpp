// SPDX-License-Identifier: Apache-2.0
// Generator: draws steps for several clients. It uses few names, so that they meet; a numbered node is found again by a
// number that is likely to be there.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "conformance/zookeeper/steps.hpp"
#include "sim/kernel/random_bits.hpp"

namespace lockproof::conformance::zookeeper {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  /// Every client opens a session.
  [[nodiscard]] Steps first();
  /// `made`: how many nodes were made so far. `without`: clients that have no session.
  [[nodiscard]] Step next(std::int64_t made, const std::set<int>& without);

 private:
  template <class List>
  const auto& one_of(const List& list) {
    return list[random_.below(std::size(list))];
  }
  [[nodiscard]] bool chance(std::uint64_t per_thousand) { return random_.below(1000) < per_thousand; }
  [[nodiscard]] std::string name(std::int64_t made);
  [[nodiscard]] Step connect(int client);

  sim::RandomBits random_;
};

}  // namespace lockproof::conformance::zookeeper
