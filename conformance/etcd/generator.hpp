// SPDX-License-Identifier: Apache-2.0
// Generator: draws steps for several clients. It uses few names and leases, so that they meet.
#pragma once

#include <cstdint>

#include "conformance/core/dice.hpp"
#include "conformance/etcd/steps.hpp"

namespace lockproof::conformance::etcd {

class Generator : private Dice {
 public:
  explicit Generator(std::uint64_t seed) : Dice(seed, 1000) {}

  /// Whether the next steps may have short leases, which cost time.
  void begin() { short_leases_ = chance(150); }
  [[nodiscard]] Step next();

 private:
  [[nodiscard]] Step restart(int client);
  bool short_leases_ = false;
};

}  // namespace lockproof::conformance::etcd
