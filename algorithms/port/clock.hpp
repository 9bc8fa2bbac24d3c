// SPDX-License-Identifier: Apache-2.0
// Clock: the three clocks of the host that the algorithm runs on.
#pragma once

#include <charconv>
#include <optional>
#include <string>

#include "algorithms/port/instant.hpp"
#include "algorithms/port/pinned_object.hpp"
#include "algorithms/port/value.hpp"

namespace lockproof {

class Clock : public PinnedObject {
 public:
  virtual ~Clock() = default;
  virtual Wall wall() = 0;  // whole milliseconds, so reading back what was written gives the same instant
  virtual Mono mono() = 0;
  virtual Boot boot() = 0;

  /// A wall instant as it is written in a server's value: decimal milliseconds since 1970.
  [[nodiscard]] static Value write(Wall i) {
    return Value(std::to_string(InstantAccess::us(i) / 1000), Value::Mark::stamp);
  }

  /// The instant in a server's value, or nothing if the value is not an instant.
  [[nodiscard]] static std::optional<Wall> read(const Value& v) {
    const std::string& s = v.bytes();
    std::int64_t ms = 0;
    const auto [end, failed] = std::from_chars(s.data(), s.data() + s.size(), ms);
    const std::int64_t limit = INT64_MAX / 1000;
    if (failed != std::errc() || end != s.data() + s.size() || ms > limit || ms < -limit) return std::nullopt;
    return InstantAccess::make<Wall>(ms * 1000);
  }
};

}  // namespace lockproof
