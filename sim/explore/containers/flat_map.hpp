// SPDX-License-Identifier: Apache-2.0
// FlatMap: from 128-bit keys to 32-bit numbers, by open addressing. There is no removal and no iteration, so no result
// depends on its order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

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

/// Gives equal strings equal numbers, from 0 in order of first sight.
class Interner {
 public:
  /// The string's number, and whether it is new.
  std::pair<std::uint32_t, bool> add(const std::string& bytes) {
    const auto [found, is_new] = numbers_.try_emplace(bytes, static_cast<std::uint32_t>(numbers_.size()));
    bytes_ += is_new ? bytes.size() + 64 : 0;
    return {found->second, is_new};
  }
  [[nodiscard]] std::size_t size() const { return numbers_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::map<std::string, std::uint32_t> numbers_;
  std::size_t bytes_ = 0;
};

}  // namespace lockproof::sim
