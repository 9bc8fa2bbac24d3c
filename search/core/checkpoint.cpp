// SPDX-License-Identifier: Apache-2.0
#include "search/core/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace lockproof::sim {
namespace {

constexpr std::string_view magic = "lockproof checkpoint 4\n";
constexpr std::uint64_t first_sum = 0xcbf29ce484222325;

/// FNV-1a.
std::uint64_t added(std::uint64_t sum, const void* data, std::size_t count) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < count; ++i) sum = (sum ^ bytes[i]) * 0x100000001b3;
  return sum;
}

}  // namespace

CheckpointOut::CheckpointOut(Write write, const CheckpointOf& of) : write_(std::move(write)), sum_(first_sum) {
  bytes(magic.data(), magic.size());
  number(of.size());
  for (const auto& [name, value] : of) {
    text(name);
    text(value);
  }
}

void CheckpointOut::bytes(const void* data, std::size_t count) {
  sum_ = added(sum_, data, count);
  written_ = written_ && write_({static_cast<const char*>(data), count});
}

void CheckpointOut::number(std::uint64_t n) { bytes(&n, sizeof n); }

void CheckpointOut::text(std::string_view text) { numbers(std::span<const char>(text)); }

void CheckpointOut::finish() {
  const std::uint64_t sum = sum_;
  number(sum);
  if (!written_) throw CheckpointError("the checkpoint could not be written");
}

CheckpointIn::CheckpointIn(std::uint64_t size, Read read, const CheckpointOf& of) : read_(std::move(read)) {
  look_whole(size);
  const std::uint64_t count = number();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string name = text(), value = text();
    if (count != of.size() || name != of[i].first || value != of[i].second) {
      throw CheckpointError("the checkpoint is of another " + name);
    }
  }
}

void CheckpointIn::look_whole(std::uint64_t size) {
  std::string begin(magic.size(), ' ');
  const bool is_one = size >= begin.size() + sizeof(std::uint64_t) && read_(begin, true) && begin == magic;
  if (!is_one) throw CheckpointError("this is no checkpoint of this version of lockproof");
  std::uint64_t sum = added(first_sum, begin.data(), begin.size());
  left_ = size - begin.size() - sizeof sum;
  std::vector<char> part(std::size_t{1} << 20);
  bool whole = true;
  for (std::uint64_t at = 0; at < left_ && whole; at += part.size()) {
    part.resize(static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), left_ - at)));
    whole = read_(part, false);
    sum = added(sum, part.data(), part.size());
  }
  std::array<char, sizeof sum> end{};
  whole = whole && read_(end, false);
  if (!whole || std::memcmp(end.data(), &sum, sizeof sum) != 0) {
    throw CheckpointError("the checkpoint is damaged: its checksum is wrong");
  }
  (void)read_(begin, true);
}

std::size_t CheckpointIn::length(std::size_t each) {
  const std::uint64_t n = number();
  if (n > left_ / each) throw CheckpointError("the checkpoint is damaged: it ends too early");
  return static_cast<std::size_t>(n);
}

void CheckpointIn::bytes(void* data, std::size_t count) {
  if (count > left_) throw CheckpointError("the checkpoint is damaged: it ends too early");
  left_ -= count;
  if (!read_({static_cast<char*>(data), count}, false)) throw CheckpointError("the checkpoint cannot be read");
}

std::uint64_t CheckpointIn::number() {
  std::uint64_t n = 0;
  bytes(&n, sizeof n);
  return n;
}

std::string CheckpointIn::text() {
  const std::vector<char> all = numbers<char>();
  return {all.begin(), all.end()};
}

void CheckpointOut::places(const Places& places) {
  number(places.size());
  for (const auto& [at, states] : places) {
    place(at);
    numbers<std::uint32_t>(states);
  }
}

Places CheckpointIn::places() {
  Places all;
  for (std::uint64_t left = number(); left > 0; --left) {
    const std::pair<int, int> at = place();
    all[at] = numbers<std::uint32_t>();
  }
  return all;
}

}  // namespace lockproof::sim
