// SPDX-License-Identifier: Apache-2.0
// Interner: gives equal strings equal numbers, from 0 in order of first sight. Strings are compared whole; a hash only
// says where to look.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lockproof::sim {

class Interner {
 public:
  /// The string's number, and whether it is new.
  std::pair<std::uint32_t, bool> add(std::string bytes) {
    if ((strings_.size() + 1) * 2 > slots_.size()) grow();
    const std::uint64_t hash = hash_of(bytes);
    std::size_t i = hash & (slots_.size() - 1);
    for (; slots_[i] != none; i = (i + 1) & (slots_.size() - 1)) {
      if (hashes_[slots_[i]] == hash && strings_[slots_[i]] == bytes) return {slots_[i], false};
    }
    slots_[i] = static_cast<std::uint32_t>(strings_.size());
    bytes.shrink_to_fit();
    bytes_ += bytes.capacity() + sizeof(std::string) + sizeof hash;
    strings_.push_back(std::move(bytes));
    hashes_.push_back(hash);
    return {slots_[i], true};
  }
  /// The number of a string that was added; nothing: it was not.
  [[nodiscard]] std::optional<std::uint32_t> find(const std::string& bytes) const {
    if (slots_.empty()) return std::nullopt;
    const std::uint64_t hash = hash_of(bytes);
    for (std::size_t i = hash & (slots_.size() - 1); slots_[i] != none; i = (i + 1) & (slots_.size() - 1)) {
      if (hashes_[slots_[i]] == hash && strings_[slots_[i]] == bytes) return slots_[i];
    }
    return std::nullopt;
  }
  /// The string with this number.
  [[nodiscard]] const std::string& at(std::uint32_t number) const { return strings_[number]; }
  [[nodiscard]] std::size_t size() const { return strings_.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_ + slots_.capacity() * 4; }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  /// Eight bytes at a time, by a multiplication and a shift.
  [[nodiscard]] static std::uint64_t hash_of(const std::string& bytes) {
    std::uint64_t h = bytes.size();
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, bytes.size() - at < 8 ? bytes.size() - at : 8);
      h = (h ^ word) * 0x9e3779b97f4a7c15;
      h ^= h >> 32;
    }
    return h;
  }
  void grow() {
    slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, none);
    for (std::uint32_t n = 0; n < strings_.size(); ++n) {
      std::size_t i = hashes_[n] & (slots_.size() - 1);
      while (slots_[i] != none) i = (i + 1) & (slots_.size() - 1);
      slots_[i] = n;
    }
  }

  std::deque<std::string> strings_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_;
  std::uint64_t bytes_ = 0;
};

}  // namespace lockproof::sim
