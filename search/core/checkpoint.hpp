// SPDX-License-Identifier: Apache-2.0
// Checkpoint: the file from which a stopped search continues later. It says which search it belongs to, and ends with a
// checksum.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/port/pinned_object.hpp"

namespace lockproof::sim {

/// What is wrong with the file, and what to do about it.
class CheckpointError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A value that must be the same for a search to continue, with its name.
using CheckpointOf = std::vector<std::pair<std::string, std::string>>;

/// States by faults and depth.
using Places = std::map<std::pair<int, int>, std::vector<std::uint32_t>>;

class CheckpointOut final : public PinnedObject {
 public:
  /// `write` appends bytes. False: it could not.
  using Write = std::function<bool(std::string_view)>;
  CheckpointOut(Write write, const CheckpointOf& of);

  void number(std::uint64_t n);
  void text(std::string_view text);
  void place(std::pair<int, int> place) {
    number(static_cast<std::uint64_t>(place.first));
    number(static_cast<std::uint64_t>(place.second));
  }
  void places(const Places& places);
  template <class Number>
  void numbers(std::span<const Number> all) {
    number(all.size());
    bytes(all.data(), all.size_bytes());
  }
  /// Throws CheckpointError if the file could not be written completely.
  void finish();

 private:
  void bytes(const void* data, std::size_t count);

  const Write write_;
  std::uint64_t sum_;
  bool written_ = true;
};

class CheckpointIn final : public PinnedObject {
 public:
  /// Reads the file once for its checksum. Throws CheckpointError if it is not a checkpoint, is damaged, or belongs to
  /// another search. `read` fills the bytes with the next ones, or with those from the beginning. False: there are not
  /// enough.
  using Read = std::function<bool(std::span<char>, bool from_begin)>;
  CheckpointIn(std::uint64_t size, Read read, const CheckpointOf& of);

  std::uint64_t number();
  int small() { return static_cast<int>(number()); }
  std::string text();
  std::pair<int, int> place() {
    const int first = small();
    return {first, small()};
  }
  Places places();
  template <class Number>
  std::vector<Number> numbers() {
    std::vector<Number> all(length(sizeof(Number)));
    bytes(all.data(), all.size() * sizeof(Number));
    return all;
  }

 private:
  void bytes(void* data, std::size_t count);
  std::size_t length(std::size_t each);
  void look_whole(std::uint64_t size);

  const Read read_;
  std::uint64_t left_ = 0;  // bytes before the checksum
};

}  // namespace lockproof::sim
