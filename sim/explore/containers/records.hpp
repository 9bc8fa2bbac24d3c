// SPDX-License-Identifier: Apache-2.0
// Records: an array of records of equal size that only grows. Records are kept in chunks, and do not move once the
// first chunk is full, so growth copies nothing and needs no second place in memory for what is already there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lockproof::sim {

class Records {
 public:
  static constexpr std::size_t padding = 8;  // bytes behind the last record of a chunk, which loads may read

  explicit Records(std::size_t record_bytes) : record_bytes_(record_bytes) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] const std::uint8_t* at(std::size_t number) const { return place_of(number); }
  [[nodiscard]] std::uint8_t* at(std::size_t number) { return place_of(number); }
  /// Adds a record, whose bytes are not set yet.
  std::uint8_t* append() {
    if (size_ == room_) add_chunk();
    return place_of(size_++);
  }

 private:
  static constexpr std::size_t chunk_bits = 10, chunk_records = std::size_t{1} << chunk_bits;

  [[nodiscard]] std::uint8_t* place_of(std::size_t number) const {
    return chunks_[number >> chunk_bits].get() + (number & (chunk_records - 1)) * record_bytes_;
  }
  /// The first chunk begins with a few records and doubles, as a vector does: many arrays stay short.
  void add_chunk() {
    const bool is_first = room_ < chunk_records;
    const std::size_t records = is_first && room_ == 0 ? chunk_records / 64 : is_first ? room_ * 2 : chunk_records;
    const std::size_t bytes = records * record_bytes_ + padding;
    std::unique_ptr<std::uint8_t[]> chunk(new std::uint8_t[bytes]);
    if (is_first && room_ > 0) {
      std::copy_n(chunks_.back().get(), room_ * record_bytes_, chunk.get());
      chunks_.clear();
      bytes_ = 0;
    }
    chunks_.push_back(std::move(chunk));
    bytes_ += bytes;
    room_ = (chunks_.size() - 1) * chunk_records + records;
  }

  std::size_t record_bytes_, size_ = 0, room_ = 0;
  std::uint64_t bytes_ = 0;
  std::vector<std::unique_ptr<std::uint8_t[]>> chunks_;
};

}  // namespace lockproof::sim
