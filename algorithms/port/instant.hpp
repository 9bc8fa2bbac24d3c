// SPDX-License-Identifier: Apache-2.0
// Durations, and instants of a host's three clocks. An instant is opaque: it can be compared, shifted and waited for,
// but there is no number in it to compute with, so no decision can depend on when "zero" was.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <variant>

namespace lockproof {

using Duration = std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

template <class Which>
class Instant {
 public:
  auto operator<=>(const Instant&) const = default;
  friend Instant operator+(Instant i, Duration d) { return Instant(i.us_ + d.count()); }
  friend Instant operator-(Instant i, Duration d) { return Instant(i.us_ - d.count()); }

 private:
  friend struct InstantAccess;
  explicit Instant(std::int64_t us) : us_(us) {}
  std::int64_t us_;
};

using Wall = Instant<struct WallTag>;  // time of day, in whole milliseconds: may jump, and differs between hosts
using Mono = Instant<struct MonoTag>;  // never jumps; stands still while its host is suspended
using Boot = Instant<struct BootTag>;  // like Mono, but counts a suspension

/// The instant up to which a grant is good, by the clock that it names; monostate: not stated.
using Deadline = std::variant<std::monostate, Wall, Mono, Boot>;

/// Access for the simulator, the real driver and the recorder. Algorithms must not use it; a test enforces that.
struct InstantAccess {
  template <class I>
  [[nodiscard]] static std::int64_t us(I i) {
    return i.us_;
  }
  template <class I>
  [[nodiscard]] static I make(std::int64_t us) {
    return I(us);
  }
};

}  // namespace lockproof
