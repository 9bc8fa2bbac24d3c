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

  explicit Packing(std::size_t columns) : widths_(columns, 3), hashed_(std::min<std::size_t>(columns, 4)) { lay_out(); }

  [[nodiscard]] std::size_t columns() const { return columns_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Of a packed tuple; the last one has a bit that is not used.
  [[nodiscard]] std::size_t words() const { return words_; }
  /// Another number whenever it changed how tuples are laid out; never 0.
  [[nodiscard]] std::uint64_t layout() const { return layout_; }

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
    std::size_t i = 0;
    for (std::size_t at = 0; at < words_; ++at) {
      const Word& w = laid_out_[at];
      for (; i < w.end; ++i) word |= std::uint64_t{tuple[i]} << shifts_[i];
      into[at] = word;
      word = std::uint64_t{tuple[i - 1]} >> 1 >> w.rest;
    }
  }
  /// REQUIRES: whole words can be written, up to eight bytes more than a tuple has.
  void store(const Words& packed, std::uint8_t* into) const {
    for (std::size_t i = 0; i < words_; ++i) std::memcpy(into + i * 8, &packed[i], 8);
  }
  [[nodiscard]] bool same(const Words& packed, const std::uint8_t* stored) const {
    std::uint64_t differs = 0;
    for (std::size_t i = 0; i < words_; ++i) differs |= word(stored, i) ^ packed[i];
    return differs == 0;
  }
  void unpack(const std::uint8_t* stored, std::uint32_t* into) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) into[i] = static_cast<std::uint32_t>(number(stored, columns_[i]));
  }
  /// A hash of the first numbers, up to four of them: it stays the same when columns are widened.
  [[nodiscard]] std::uint32_t hash(const std::uint32_t* tuple) const {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < hashed_; ++i) sum = (sum + tuple[i]) * 0x9e3779b1;
    return (sum ^ sum >> 16) * 0x85ebca6b;
  }
  /// A hash of the packed numbers, made with fewer instructions: it changes when a column is widened.
  [[nodiscard]] std::uint64_t hash(const Words& packed) const {
    std::uint64_t h = 0;
    for (std::size_t i = 0; i < words_; ++i) h = mixed(h, packed[i]);
    return (h ^ h >> 32) * 0x94d049bb133111eb;
  }
  [[nodiscard]] std::uint64_t hash_stored(const std::uint8_t* stored) const {
    std::uint64_t h = 0;
    for (std::size_t i = 0; i < words_; ++i) h = mixed(h, word(stored, i));
    return (h ^ h >> 32) * 0x94d049bb133111eb;
  }

 private:
  struct Column {
    std::uint32_t mask;
    std::uint16_t byte;  // the byte at which a load of eight bytes finds it …
    std::uint16_t bit;   // … from this bit on
  };
  struct Word {
    std::uint32_t end;   // behind the last column that begins in it
    std::uint32_t rest;  // the bits above these, plus one, of that column are in the next word
  };

  [[nodiscard]] static std::uint64_t number(const std::uint8_t* stored, const Column& column) {
    std::uint64_t word;
    std::memcpy(&word, stored + column.byte, 8);
    return word >> column.bit & column.mask;
  }
  [[nodiscard]] std::uint64_t word(const std::uint8_t* stored, std::size_t n) const {
    std::uint64_t word;
    std::memcpy(&word, stored + n * 8, 8);
    return n + 1 == words_ ? word & last_ : word;
  }
  [[nodiscard]] static std::uint64_t mixed(std::uint64_t h, std::uint64_t word) {
    return (h ^ h >> 32 ^ word) * 0x9e3779b97f4a7c15;
  }
  void lay_out() {
    columns_.clear();
    shifts_.clear();
    laid_out_.clear();
    std::size_t used = 0;
    for (const unsigned width : widths_) {
      const auto shift = static_cast<std::uint8_t>(used % 64);
      columns_.push_back({static_cast<std::uint32_t>((std::uint64_t{1} << width) - 1),
                          static_cast<std::uint16_t>(used / 8), static_cast<std::uint16_t>(used % 8)});
      shifts_.push_back(shift);
      laid_out_.resize(used / 64 + 1);
      laid_out_.back() = {static_cast<std::uint32_t>(columns_.size()), 63u - shift};
      used += width;
    }
    bytes_ = (used + 7) / 8;
    words_ = used / 64 + 1;
    laid_out_.resize(words_, laid_out_.back());
    last_ = (std::uint64_t{1} << (used % 64)) - 1;
    ++layout_;
    if (words_ >= most_words) throw std::runtime_error("a world has more hosts than fit into a state");
  }

  std::vector<unsigned> widths_;
  std::vector<Column> columns_;
  std::vector<std::uint8_t> shifts_;  // of each column within its word
  std::vector<Word> laid_out_;
  const std::size_t hashed_;  // columns
  std::size_t bytes_ = 0, words_ = 0;
  std::uint64_t layout_ = 0;
  std::uint64_t last_ = 0;  // mask of the bits of the last word that are used
};

}  // namespace lockproof::sim
