// SPDX-License-Identifier: Apache-2.0
// Value: bytes that a server stores or answers. Algorithms compare them for equality and pass them on. The mark says
// where the bytes came from (a drawn token, a written instant); only the recorder and the search look at it.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <utility>

namespace lockproof {

class Value {
 public:
  enum class Mark : std::uint8_t { text, token, stamp };

  Value(std::string bytes, Mark mark = Mark::text) : bytes_(std::move(bytes)), mark_(mark) {}
  Value(const char* text) : bytes_(text) {}
  Value(std::chrono::milliseconds d) : bytes_(std::to_string(d.count())) {}
  Value(std::chrono::seconds d) : bytes_(std::to_string(d.count())) {}
  static Value number(std::int64_t n) { return Value(std::to_string(n)); }

  bool operator==(const Value& other) const { return bytes_ == other.bytes_; }
  std::strong_ordering operator<=>(const Value& other) const { return bytes_ <=> other.bytes_; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] Mark mark() const { return mark_; }

 private:
  std::string bytes_;
  Mark mark_ = Mark::text;
};

using Name = Value;   // of a lock: its key on the servers
using Token = Value;  // of an owner: compared for equality only

}  // namespace lockproof
