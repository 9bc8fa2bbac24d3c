// SPDX-License-Identifier: Apache-2.0
// Arena: memory for a set that grows to many megabytes and is read at random places. The processor remembers where few
// pages are, so with the usual ones of 4 KiB most reads of such a set wait until their page is found; the arena asks
// the kernel for pages of 2 MiB. The first megabytes are usual pages: a small search holds no more than it needs.
// Threads: any of them may take pieces and give them back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace lockproof::sim {

class Arena {
 public:
  static constexpr std::size_t chunk_bytes = 16 * 1024;

  /// Memory that is given back when this is destroyed, which must happen before the arena is.
  class Piece {
   public:
    Piece() = default;
    Piece(Piece&& other) noexcept { *this = std::move(other); }
    Piece& operator=(Piece&& other) noexcept {
      std::swap(arena_, other.arena_);
      std::swap(data_, other.data_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Piece() {
      if (data_) arena_->give_back(data_, bytes_);
    }

    [[nodiscard]] std::uint8_t* data() const { return data_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

   private:
    friend class Arena;
    Piece(Arena* arena, std::uint8_t* data, std::size_t bytes) : arena_(arena), data_(data), bytes_(bytes) {}

    Arena* arena_ = nullptr;
    std::uint8_t* data_ = nullptr;
    std::size_t bytes_ = 0;
  };

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// At least so many bytes, not set to anything. A chunk or more is rounded up to whole chunks. Throws std::bad_alloc.
  [[nodiscard]] Piece take(std::size_t bytes);

 private:
  struct Region {
    void* mapped;
    std::size_t bytes;
  };

  void give_back(std::uint8_t* data, std::size_t bytes);
  void map_region(std::size_t least);

  std::mutex mutex_;
  std::vector<Region> regions_;
  std::uint8_t* next_ = nullptr;     // of the last region, what nobody took yet …
  std::size_t left_ = 0;             // … in bytes
  std::vector<std::uint8_t*> free_;  // chunks that were given back
};

}  // namespace lockproof::sim
