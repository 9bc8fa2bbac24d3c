// SPDX-License-Identifier: Apache-2.0
// RandomBits: a small generator that gives the same numbers on every machine and compiler: SplitMix64 (Steele, Lea,
// Flood: "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
#pragma once

#include <cstdint>
#include <string_view>

namespace lockproof::sim {

class RandomBits {
 public:
  explicit RandomBits(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// Uniform in [0, n), n > 0: numbers that would favour small results are drawn again.
  std::uint64_t below(std::uint64_t n) {
    const std::uint64_t uneven = (0 - n) % n;  // 2^64 mod n
    std::uint64_t drawn = next();
    while (drawn < uneven) drawn = next();
    return drawn % n;
  }

 private:
  std::uint64_t state_;
};

/// A number that depends on the seed and the name, and on nothing else.
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t seed, std::string_view name) {
  std::uint64_t sum = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : name) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  RandomBits bits(seed);
  return RandomBits(bits.next() ^ sum).next();
}

}  // namespace lockproof::sim
