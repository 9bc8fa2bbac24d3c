// SPDX-License-Identifier: Apache-2.0
// Tuples: gives equal tuples of numbers equal numbers, from 0 in order of first sight. All tuples have the same length.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lockproof::sim {

class Tuples {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  explicit Tuples(std::size_t length) : length_(length) {}

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(count_); }
  [[nodiscard]] const std::uint32_t* at(std::uint32_t number) const { return parts_.data() + number * length_; }
  [[nodiscard]] std::uint64_t bytes() const { return parts_.capacity() * 4 + slots_.capacity() * 4; }

  [[nodiscard]] std::uint32_t find(const std::uint32_t* tuple) const {
    if (slots_.empty()) return none;
    return slots_[place_of(tuple)];
  }

  /// The tuple's number, and whether it is new.
  std::pair<std::uint32_t, bool> add(const std::uint32_t* tuple) {
    if ((count_ + 1) * 2 > slots_.size()) grow();
    std::uint32_t& slot = slots_[place_of(tuple)];
    if (slot != none) return {slot, false};
    slot = size();
    parts_.insert(parts_.end(), tuple, tuple + length_);
    ++count_;
    return {slot, true};
  }

 private:
  /// The slot where the tuple is, or would be.
  [[nodiscard]] std::size_t place_of(const std::uint32_t* tuple) const {
    std::uint64_t h = 0;
    for (std::size_t i = 0; i < length_; ++i) {
      h = (h ^ tuple[i]) * 0x9e3779b97f4a7c15;
      h ^= h >> 32;
    }
    std::size_t i = h & (slots_.size() - 1);
    while (slots_[i] != none && !std::equal(tuple, tuple + length_, at(slots_[i]))) i = (i + 1) & (slots_.size() - 1);
    return i;
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(64, slots_.size() * 2), none);
    for (std::uint32_t n = 0; n < count_; ++n) slots_[place_of(at(n))] = n;
  }

  const std::size_t length_;
  std::size_t count_ = 0;
  std::vector<std::uint32_t> parts_, slots_;
};

}  // namespace lockproof::sim
