// SPDX-License-Identifier: Apache-2.0
// PackedSet: tuples of small numbers, each once, packed into as many bits as the numbers need. Exact: whole tuples are
// compared. A number that no longer fits makes its column wider, and everything is packed anew.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace lockproof::sim {

class PackedSet {
 public:
  using Tuple = std::vector<std::uint32_t>;

  explicit PackedSet(std::size_t columns) : widths_(columns, 3) { lay_out(); }

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(parents_.size()); }
  [[nodiscard]] std::uint64_t bytes() const {
    return words_.capacity() * 8 + parents_.capacity() * 4 + table_.capacity() * sizeof(Slot);
  }

  /// The tuple's number; if it is new, with this parent.
  std::pair<std::uint32_t, bool> add(const Tuple& tuple, std::uint32_t parent) {
    fit(tuple);
    if ((parents_.size() + 1) * 2 > table_.size()) grow();
    packed_.assign(stride_, 0);
    pack(tuple, packed_.data());
    const std::uint64_t h = hash(packed_.data());
    const auto tag = static_cast<std::uint32_t>(h >> 32);
    const std::size_t mask = table_.size() - 1;
    for (std::size_t i = tag & mask;; i = (i + 1) & mask) {
      if (table_[i].number == empty) {
        table_[i] = {size(), tag};
        words_.insert(words_.end(), packed_.begin(), packed_.end());
        parents_.push_back(parent);
        return {table_[i].number, true};
      }
      if (table_[i].tag == tag && same(&words_[table_[i].number * stride_])) return {table_[i].number, false};
    }
  }

  [[nodiscard]] bool contains(const Tuple& tuple) {
    for (std::size_t i = 0; i < tuple.size(); ++i) {
      if (tuple[i] > columns_[i].mask) return false;
    }
    packed_.assign(stride_, 0);
    pack(tuple, packed_.data());
    const auto tag = static_cast<std::uint32_t>(hash(packed_.data()) >> 32);
    const std::size_t mask = table_.size() - 1;
    for (std::size_t i = tag & mask; table_[i].number != empty; i = (i + 1) & mask) {
      if (table_[i].tag == tag && same(&words_[table_[i].number * stride_])) return true;
    }
    return false;
  }

  void unpack(std::uint32_t number, Tuple& into) const { unpack(&words_[number * stride_], into); }
  [[nodiscard]] std::uint32_t parent(std::uint32_t number) const { return parents_[number]; }

 private:
  static constexpr std::uint32_t empty = UINT32_MAX;
  struct Column {
    std::size_t word;
    unsigned shift;
    std::uint64_t mask;
  };

  /// The tag decides where a tuple is looked for, and most misses; so the table alone is enough to make a larger one.
  struct Slot {
    std::uint32_t number = empty, tag = 0;
  };
  [[nodiscard]] bool same(const std::uint64_t* words) const {
    return std::equal(packed_.begin(), packed_.end(), words);
  }

  /// No column straddles two words.
  void lay_out() {
    columns_.clear();
    std::size_t word = 0;
    unsigned used = 0;
    for (const unsigned width : widths_) {
      if (used + width > 64) ++word, used = 0;
      columns_.push_back({word, used, (std::uint64_t{1} << width) - 1});
      used += width;
    }
    stride_ = word + 1;
  }

  void pack(const Tuple& tuple, std::uint64_t* into) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      into[columns_[i].word] |= std::uint64_t{tuple[i]} << columns_[i].shift;
    }
  }
  void unpack(const std::uint64_t* from, Tuple& into) const {
    into.resize(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      into[i] = static_cast<std::uint32_t>(from[columns_[i].word] >> columns_[i].shift & columns_[i].mask);
    }
  }

  void fit(const Tuple& tuple) {
    bool fits = true;
    for (std::size_t i = 0; i < tuple.size(); ++i) fits &= tuple[i] <= columns_[i].mask;
    if (fits) return;
    std::vector<Tuple> all(size());
    for (std::uint32_t n = 0; n < size(); ++n) unpack(n, all[n]);
    for (std::size_t i = 0; i < tuple.size(); ++i) {
      if (tuple[i] > columns_[i].mask) widths_[i] = static_cast<unsigned>(std::bit_width(tuple[i])) + 2;
    }
    lay_out();
    words_.assign(all.size() * stride_, 0);
    for (std::size_t n = 0; n < all.size(); ++n) pack(all[n], &words_[n * stride_]);
    table_.assign(table_.size(), Slot{});
    for (std::uint32_t n = 0; n < size(); ++n) {
      place({n, static_cast<std::uint32_t>(hash(&words_[n * stride_]) >> 32)});
    }
  }

  [[nodiscard]] std::uint64_t hash(const std::uint64_t* words) const {
    std::uint64_t h = 0;
    for (std::size_t i = 0; i < stride_; ++i) {
      h = (h ^ words[i]) * 0x9e3779b97f4a7c15;
      h ^= h >> 32;
    }
    h *= 0xbf58476d1ce4e5b9;
    return h ^ h >> 29;
  }

  void grow() {
    const std::vector<Slot> old = std::exchange(table_, std::vector<Slot>(table_.empty() ? 1024 : table_.size() * 2));
    for (const Slot& slot : old) {
      if (slot.number != empty) place(slot);
    }
  }
  void place(const Slot& slot) {
    const std::size_t mask = table_.size() - 1;
    std::size_t i = slot.tag & mask;
    while (table_[i].number != empty) i = (i + 1) & mask;
    table_[i] = slot;
  }

  std::vector<unsigned> widths_;
  std::vector<Column> columns_;
  std::size_t stride_ = 1;
  std::vector<std::uint64_t> words_, packed_;
  std::vector<std::uint32_t> parents_;
  std::vector<Slot> table_;
};

}  // namespace lockproof::sim
