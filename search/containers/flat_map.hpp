// SPDX-License-Identifier: Apache-2.0
// FlatMap: from 128-bit keys to 32-bit numbers, by open addressing; PairMap: from pairs of 32-bit numbers, in half the
// space. There is no removal and no iteration, so no result depends on their order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/containers/prefetch.hpp"

namespace lockproof::sim {

struct Key128 {
  std::uint64_t high = 0, low = 0;
  bool operator==(const Key128&) const = default;

  /// Mixed by two rounds of a multiply and shift (Stafford's variant 13 of MurmurHash3's finaliser).
  [[nodiscard]] std::uint64_t mixed() const {
    std::uint64_t z = low ^ (high * 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
};

class FlatMap {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  [[nodiscard]] std::uint32_t find(const Key128& key) const {
    if (slots_.empty()) return none;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = key.mixed() & mask;; i = (i + 1) & mask) {
      if (slots_[i].value == none) return none;
      if (slots_[i].key == key) return slots_[i].value;
    }
  }

  /// REQUIRES: the key is not in the map.
  void insert(const Key128& key, std::uint32_t value) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    place(key, value);
    ++size_;
  }
  [[nodiscard]] std::size_t bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    Key128 key;
    std::uint32_t value = none;
  };
  void place(const Key128& key, std::uint32_t value) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = key.mixed() & mask;
    while (slots_[i].value != none) i = (i + 1) & mask;
    slots_[i] = {key, value};
  }
  void grow() {
    std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.empty() ? 256 : slots_.size() * 2));
    for (const Slot& slot : old) {
      if (slot.value != none) place(slot.key, slot.value);
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

class PairMap {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  [[nodiscard]] std::uint32_t find(std::uint32_t a, std::uint32_t b) const {
    for (std::size_t i = home(a, b);; i = (i + 1) & mask_) {
      const Slot& slot = slots_[i];
      if (slot.a == a && slot.b == b) return slot.value;  // it may be an empty slot: then nothing
      if (slot.value == none) return none;
    }
  }
  void prefetch(std::uint32_t a, std::uint32_t b) const { sim::prefetch(&slots_[home(a, b)]); }

  /// REQUIRES: the pair is not in the map.
  void insert(std::uint32_t a, std::uint32_t b, std::uint32_t value) {
    if ((size_ + 1) * 3 > slots_.size() * 2) grow();
    place({a, b, value});
    ++size_;
  }
  [[nodiscard]] std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    std::uint32_t a = 0, b = 0, value = none;
  };
  static constexpr std::size_t fewest = 128;

  /// The upper bits of a product, which depend on all bits of both (Knuth, volume 3, section 6.4).
  [[nodiscard]] std::size_t home(std::uint32_t a, std::uint32_t b) const {
    return (std::uint64_t{a} << 32 | b) * 0x9e3779b97f4a7c15 >> shift_ & mask_;
  }
  void place(const Slot& slot) {
    std::size_t i = home(slot.a, slot.b);
    while (slots_[i].value != none) i = (i + 1) & mask_;
    slots_[i] = slot;
  }
  void grow() {
    std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(std::max(fewest, slots_.size() * 2)));
    mask_ = slots_.size() - 1;
    shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots_.size()));
    for (const Slot& slot : old) {
      if (slot.value != none) place(slot);
    }
  }

  std::vector<Slot> slots_{Slot{}};  // one that stays empty, or a power of two
  std::size_t size_ = 0, mask_ = 0;
  unsigned shift_ = 63;  // leaves as many bits of the product as the number of a slot has
};

}  // namespace lockproof::sim
