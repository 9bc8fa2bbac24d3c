// SPDX-License-Identifier: Apache-2.0
// Generator: draws steps for several clients. It uses few names and leases, so that they meet.
#pragma once

#include <cstdint>
#include <iterator>

#include "conformance/etcd/steps.hpp"
#include "sim/kernel/random_bits.hpp"

namespace lockproof::conformance::etcd {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  /// Whether the next steps may have short leases, which cost time.
  void begin() { short_leases_ = chance(150); }
  [[nodiscard]] Step next();

 private:
  [[nodiscard]] Step restart(int client);
  template <class List>
  const auto& one_of(const List& list) {
    return list[random_.below(std::size(list))];
  }
  [[nodiscard]] bool chance(std::uint64_t per_thousand) { return random_.below(1000) < per_thousand; }

  sim::RandomBits random_;
  bool short_leases_ = false;
};

}  // namespace lockproof::conformance::etcd
