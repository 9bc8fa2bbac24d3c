// SPDX-License-Identifier: Apache-2.0
#include "search/containers/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace lockproof::sim {
namespace {

constexpr std::size_t large_page = std::size_t{2} << 20;
constexpr std::size_t first_region = 2 * large_page, region = 16 * large_page;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

Arena::~Arena() {
  for (const Region& mapped : regions_) munmap(mapped.mapped, mapped.bytes);
}

Arena::Piece Arena::take(std::size_t bytes) {
  if (bytes < chunk_bytes) return {this, static_cast<std::uint8_t*>(::operator new(bytes)), bytes};
  bytes = rounded_up(bytes, chunk_bytes);
  const std::lock_guard lock(mutex_);
  if (bytes == chunk_bytes && !free_.empty()) {
    std::uint8_t* const chunk = free_.back();
    free_.pop_back();
    return {this, chunk, bytes};
  }
  if (bytes > left_) map_region(bytes);
  left_ -= bytes;
  return {this, std::exchange(next_, next_ + bytes), bytes};
}

/// What is larger than a chunk serves as chunks from then on. Tables grow by half of what they were, and more is needed
/// for records by then, so nothing is left over for long.
void Arena::give_back(std::uint8_t* data, std::size_t bytes) {
  if (bytes < chunk_bytes) return ::operator delete(data);
  const std::lock_guard lock(mutex_);
  for (std::size_t at = bytes; at > 0; at -= chunk_bytes) free_.push_back(data + at - chunk_bytes);
}

void Arena::map_region(std::size_t least) {
  for (; left_ >= chunk_bytes; left_ -= chunk_bytes) free_.push_back(std::exchange(next_, next_ + chunk_bytes));
  const bool is_first = regions_.empty();
  const std::size_t bytes = rounded_up(std::max(least, is_first ? first_region : region), large_page);
  const std::size_t mapped_bytes = bytes + large_page;  // an address that is a multiple of a large page is in it
  void* const mapped = mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  regions_.push_back({mapped, mapped_bytes});
  const auto address = reinterpret_cast<std::uintptr_t>(mapped);
  next_ = static_cast<std::uint8_t*>(mapped) + (rounded_up(address, large_page) - address);
  left_ = bytes;
  if (!is_first) static_cast<void>(madvise(next_, left_, MADV_HUGEPAGE));  // refused: usual pages serve as well
}

}  // namespace lockproof::sim
