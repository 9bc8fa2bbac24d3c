// SPDX-License-Identifier: Apache-2.0
// Named instants as numbers: a name, and how long after it. Code that compares and shifts instants can work with them,
// and learns nothing else.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "algorithms/port/instant.hpp"

namespace lockproof::zones {

/// So long after the instant with this name.
struct NamedInstant {
  int name = 0;
  std::int64_t us = 0;
  bool operator==(const NamedInstant&) const = default;
};

/// The clock of its host that an instant was read from. A name says it, too.
enum class ReadClock : std::uint8_t { mono, boot };
inline constexpr int clocks_of_host = 2;

/// Of what was read of a clock in a segment of a run.
[[nodiscard]] constexpr int name_of(int segment, ReadClock clock) {
  return segment * clocks_of_host + static_cast<int>(clock);
}
[[nodiscard]] constexpr int segment_of(int name) { return name / clocks_of_host; }
[[nodiscard]] constexpr ReadClock clock_of(int name) { return static_cast<ReadClock>(name % clocks_of_host); }

/// A name has room for offsets of so much, to both sides.
inline constexpr std::int64_t named_span = std::int64_t{1} << 43;

[[nodiscard]] constexpr std::int64_t to_number(const NamedInstant& instant) {
  return NamedInstants::first_name + (instant.name + 1) * 2 * named_span + instant.us;
}
[[nodiscard]] constexpr bool is_named(std::int64_t number) { return number >= NamedInstants::first_name; }
/// REQUIRES: it is named.
[[nodiscard]] constexpr NamedInstant named_from(std::int64_t number) {
  const std::int64_t from_first = number - NamedInstants::first_name + named_span;
  const auto name = static_cast<int>(from_first / (2 * named_span)) - 1;
  return {name, from_first % (2 * named_span) - named_span};
}

/// What the code did that a search by zones cannot follow.
class UnsuitedCode : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace lockproof::zones
