// SPDX-License-Identifier: Apache-2.0
#include "real/record/ledger.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "real/errors.hpp"

namespace lockproof::real {
namespace {

// A record is its length, written last, and its bytes. New memory is all zeros: a length of 0 is the end of a window.
using Length = std::uint64_t;
constexpr std::size_t window_bytes = std::size_t{1} << 20U;

std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }
std::size_t space_of(std::size_t record) { return sizeof(Length) + rounded_up(record, alignof(Length)); }

}  // namespace

Ledger::Ledger() : memory_(::memfd_create("lockproof-ledger", MFD_CLOEXEC)) {
  if (!memory_.open()) throw BadEnvironment("cannot get shared memory for what a client writes down");
}

Ledger::~Ledger() {
  if (window_) ::munmap(window_, length_);
}

void Ledger::next_window(std::size_t least) {
  if (window_) ::munmap(window_, length_);
  begins_ += length_;
  length_ = rounded_up(least, window_bytes);
  at_ = 0;
  window_ = nullptr;
  void* mapped = MAP_FAILED;
  if (::ftruncate(memory_.get(), static_cast<off_t>(begins_ + length_)) == 0) {
    mapped = ::mmap(nullptr, length_, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), static_cast<off_t>(begins_));
  }
  if (mapped == MAP_FAILED) {
    throw BadEnvironment(fmt::format("cannot get {} KB of shared memory for what a client writes down: {}{}",
                                     length_ >> 10, std::strerror(errno), errno == EFBIG ? " (ulimit -f)" : ""));
  }
  window_ = static_cast<char*>(mapped);
}

void Ledger::append(std::string_view record) {
  const std::size_t space = space_of(record.size());
  if (length_ - at_ < space) next_window(space);
  std::memcpy(window_ + at_ + sizeof(Length), record.data(), record.size());
  auto* const length = reinterpret_cast<Length*>(window_ + at_);
  std::atomic_ref(*length).store(record.size(), std::memory_order_release);
  at_ += space;
}

void Ledger::read(const std::function<void(std::string_view record)>& visit) const {
  struct stat file {};
  ::fstat(memory_.get(), &file);
  const auto bytes = static_cast<std::size_t>(file.st_size);
  if (bytes == 0) return;
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, memory_.get(), 0);
  if (mapped == MAP_FAILED) throw BadEnvironment("no more memory to read what a client has written down");
  const std::string_view all(static_cast<const char*>(mapped), bytes);
  for (std::size_t at = 0; at + sizeof(Length) <= bytes;) {
    Length length = 0;
    std::memcpy(&length, all.data() + at, sizeof length);
    if (length == 0) {
      at = rounded_up(at + 1, window_bytes);
      continue;
    }
    visit(all.substr(at + sizeof(Length), length));
    at += space_of(length);
  }
  ::munmap(mapped, bytes);
}

}  // namespace lockproof::real
