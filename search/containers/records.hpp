// SPDX-License-Identifier: Apache-2.0
// Records: an array of records of equal size that only grows. Records are kept in chunks of an arena, and do not move
// once the first chunk is full, so growth copies nothing and needs no second place in memory for what is already there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "search/containers/arena.hpp"

namespace lockproof::sim {

class Records {
 public:
  static constexpr std::size_t padding = 8;  // bytes behind the last record of a chunk, which loads may read
  static constexpr std::size_t most = std::size_t{1} << 26;

  Records(Arena& arena, std::size_t record_bytes)
      : arena_(&arena), record_bytes_(record_bytes), chunk_records_((Arena::chunk_bytes - padding) / record_bytes),
        inverse_((std::uint64_t{1} << division_bits) / chunk_records_ + 1) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] const std::uint8_t* at(std::size_t number) const { return place_of(number); }
  [[nodiscard]] std::uint8_t* at(std::size_t number) { return place_of(number); }
  /// Adds a record, whose bytes are not set yet. REQUIRES: fewer than `most` are in it.
  std::uint8_t* append() {
    if (size_ == room_) add_chunk();
    return place_of(size_++);
  }

 private:
  // A number is divided by the records of a chunk by a product and a shift. Below `most` that is exact: the product is
  // too large by at most number / 2^division_bits, which is less than one part in chunk_records.
  static constexpr unsigned division_bits = 40;
  static_assert(most * Arena::chunk_bytes <= std::uint64_t{1} << division_bits);

  [[nodiscard]] std::uint8_t* place_of(std::size_t number) const {
    const std::size_t chunk = number * inverse_ >> division_bits;
    return chunks_[chunk] + (number - chunk * chunk_records_) * record_bytes_;
  }
  /// The first chunk begins with a few records and doubles, as a vector does: many arrays stay short.
  void add_chunk() {
    const bool is_first = room_ < chunk_records_;
    const std::size_t records =
        is_first ? std::min(chunk_records_, std::max<std::size_t>(16, room_ * 2)) : chunk_records_;
    Arena::Piece piece =
        arena_->take(records == chunk_records_ ? Arena::chunk_bytes : records * record_bytes_ + padding);
    if (is_first && room_ > 0) {
      std::copy_n(chunks_.back(), room_ * record_bytes_, piece.data());
      chunks_.clear();
      pieces_.clear();
      bytes_ = 0;
    }
    bytes_ += piece.bytes();
    chunks_.push_back(piece.data());
    pieces_.push_back(std::move(piece));
    room_ = (chunks_.size() - 1) * chunk_records_ + records;
  }

  Arena* arena_;
  std::size_t record_bytes_, chunk_records_;
  std::uint64_t inverse_;
  std::size_t size_ = 0, room_ = 0;
  std::uint64_t bytes_ = 0;
  std::vector<std::uint8_t*> chunks_;
  std::vector<Arena::Piece> pieces_;  // which are the chunks
};

}  // namespace lockproof::sim
