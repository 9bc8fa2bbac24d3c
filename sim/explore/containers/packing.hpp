// SPDX-License-Identifier: Apache-2.0
// Packing: how tuples of small numbers are laid out in bytes. Each column has one bit more than its numbers have needed
// so far.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace lockproof::sim {

class Packing {
 public:
  static constexpr std::size_t most_words = 24;
  using Words = std::array<std::uint64_t, most_words>;
  static_assert(std::endian::native == std::endian::little, "a tuple is the first bytes of its words");

  explicit Packing(std::size_t columns) : widths_(columns, 3) {
    lay_out();
    std::uint64_t odd = 0x9e3779b97f4a7c15;
    for (std::size_t i = 0; i < columns; ++i) {
      factors_.push_back(odd | 1);
      odd = (odd ^ odd >> 29) * 0xbf58476d1ce4e5b9 + i;
    }
  }

  [[nodiscard]] std::size_t columns() const { return columns_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  [[nodiscard]] bool fits(const std::uint32_t* largest) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (largest[i] > columns_[i].mask) return false;
    }
    return true;
  }
  /// Widens the columns in which these numbers do not fit.
  void widen(const std::uint32_t* largest) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (largest[i] <= columns_[i].mask) continue;
      widths_[i] = std::min(32u, static_cast<unsigned>(std::bit_width(largest[i])) + 1);
    }
    lay_out();
  }

  void pack(const std::uint32_t* tuple, Words& into) const {
    std::uint64_t word = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Column& c = columns_[i];
      const std::uint64_t number = tuple[i];
      word |= number << c.shift;
      if (!c.ends) continue;
      into[at++] = word;
      word = c.rest < 64 ? number >> c.rest : 0;
    }
    into[at] = word;
  }
  void store(const Words& packed, std::uint8_t* into) const { std::memcpy(into, packed.data(), bytes_); }
  [[nodiscard]] bool same(const Words& packed, const std::uint8_t* stored) const {
    std::uint64_t differs = 0;
    for (std::size_t i = 0; i < words_; ++i) {
      std::uint64_t word;
      std::memcpy(&word, stored + i * 8, 8);
      differs |= (word ^ packed[i]) & (i + 1 == words_ ? last_ : ~std::uint64_t{0});
    }
    return differs == 0;
  }
  void unpack(const std::uint8_t* stored, std::uint32_t* into) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) into[i] = static_cast<std::uint32_t>(number(stored, columns_[i]));
  }

  /// A hash of the numbers themselves: it stays the same when columns are widened.
  [[nodiscard]] std::uint64_t hash(const std::uint32_t* tuple) const {
    std::uint64_t h = 0;
    for (std::size_t i = 0; i < factors_.size(); ++i) h += (tuple[i] + std::uint64_t{1}) * factors_[i];
    return mixed(h);
  }
  [[nodiscard]] std::uint64_t hash(const std::uint8_t* stored) const {
    std::uint64_t h = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) h += (number(stored, columns_[i]) + 1) * factors_[i];
    return mixed(h);
  }

 private:
  struct Column {
    unsigned shift;  // within its word
    bool ends;       // the word is full with this column …
    unsigned rest;   // … and the bits above these are in the next word
    std::uint64_t mask;
    std::size_t byte;  // the byte at which a load of eight bytes finds it …
    unsigned bit;      // … from this bit on
  };

  [[nodiscard]] static std::uint64_t number(const std::uint8_t* stored, const Column& column) {
    std::uint64_t word;
    std::memcpy(&word, stored + column.byte, 8);
    return word >> column.bit & column.mask;
  }
  [[nodiscard]] static std::uint64_t mixed(std::uint64_t h) {
    h = (h ^ h >> 32) * 0xbf58476d1ce4e5b9;
    h = (h ^ h >> 29) * 0x94d049bb133111eb;
    return h ^ h >> 32;
  }

  void lay_out() {
    columns_.clear();
    std::size_t used = 0;
    for (const unsigned width : widths_) {
      const auto shift = static_cast<unsigned>(used % 64);
      columns_.push_back({shift, shift + width >= 64, 64 - shift, (std::uint64_t{1} << width) - 1, used / 8,
                          static_cast<unsigned>(used % 8)});
      used += width;
    }
    bytes_ = (used + 7) / 8;
    words_ = (used + 63) / 64;
    last_ = used % 64 == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << (used % 64)) - 1;
    if (words_ >= most_words) throw std::runtime_error("a world has more hosts than fit into a state");
  }

  std::vector<unsigned> widths_;
  std::vector<Column> columns_;
  std::vector<std::uint64_t> factors_;
  std::size_t bytes_ = 0, words_ = 0;
  std::uint64_t last_ = 0;  // mask of the bits of the last word that are used
};

}  // namespace lockproof::sim
