// SPDX-License-Identifier: Apache-2.0
// Durations, and instants of a host's three clocks. An instant is opaque: it can be compared, shifted and waited for,
// but there is no number in it to compute with, so no decision can depend on when "zero" was.
#pragma once

#include <chrono>
#include <cstdint>
#include <variant>

namespace lockproof {

using Duration = std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Orders instants that have a name instead of a number, for a search in which time is a symbol. A named instant is
/// `first_name` or more; all others are less. One for each thread, while code runs there that may compare such.
class NamedInstants {
 public:
  static constexpr std::int64_t first_name = std::int64_t{1} << 61;

  /// REQUIRES: one of the two is named.
  virtual bool is_before(std::int64_t one, std::int64_t other) = 0;
  static inline thread_local NamedInstants* of_this_thread = nullptr;

 protected:
  ~NamedInstants() = default;
};

template <class Which>
class Instant {
 public:
  friend bool operator==(const Instant& a, const Instant& b) { return !is_before(a, b) && !is_before(b, a); }
  friend bool operator<(const Instant& a, const Instant& b) { return is_before(a, b); }
  friend bool operator>(const Instant& a, const Instant& b) { return is_before(b, a); }
  friend bool operator<=(const Instant& a, const Instant& b) { return !is_before(b, a); }
  friend bool operator>=(const Instant& a, const Instant& b) { return !is_before(a, b); }
  friend Instant operator+(Instant i, Duration d) { return Instant(i.us_ + d.count()); }
  friend Instant operator-(Instant i, Duration d) { return Instant(i.us_ - d.count()); }

 private:
  friend struct InstantAccess;
  explicit Instant(std::int64_t us) : us_(us) {}
  static bool is_before(const Instant& a, const Instant& b) {
    if (a.us_ < NamedInstants::first_name && b.us_ < NamedInstants::first_name) return a.us_ < b.us_;
    return NamedInstants::of_this_thread->is_before(a.us_, b.us_);
  }
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
